import { createHash, randomUUID } from 'node:crypto';
import type { Breakage, Message } from './start-breaking-proxy';

/** One promise of the extensions that is broken, between the kit and the reference server or its receiver. */
export interface BrokenPromise {
  what: string;
  /** The check that must fail, then those that may. */
  fails: readonly [check: string, ...also: string[]];
  /** Of requests to the server and its responses. `keys` are those of the accounts. */
  api?: Breakage;
  /** Of deliveries. */
  deliveries?: Breakage;
}

/** The API keys of the accounts. */
export type Keys = Record<'buyer' | 'seller', string>;

/** Limits a change to requests such as `GET /v1/orders`, or to their responses. */
const on =
  (pattern: RegExp, change: (message: Message, request: Message) => void) =>
  (message: Message, request = message) => {
    if (pattern.test(`${request.method} ${request.path}`)) change(message, request);
  };

/** Replaces a part of responses. */
const rewrite = (pattern: RegExp, search: RegExp, replacement: string): Breakage => ({
  response: on(pattern, (response) => {
    response.body = response.body.replace(search, replacement);
  }),
});

/** Replaces a part of the paths of requests. */
const redirect = (pattern: RegExp, search: RegExp, replacement: string): Breakage => ({
  request: on(pattern, (request) => {
    request.path = request.path.replace(search, replacement);
  }),
});

/** Sends some requests with the key of another account. */
const impersonate = (pattern: RegExp, key: string): Breakage => ({
  request: on(pattern, (request) => {
    request.headers.authorization = `Bearer ${key}`;
  }),
});

/** Responds itself. */
const respond = (pattern: RegExp, status: number, body: string): Breakage => ({
  request: on(pattern, (request) => Object.assign(request, { status, body })),
});

/** Changes a header of requests or deliveries. */
const setHeader = (name: string, value: (old: string, body: string) => string): Breakage => ({
  request({ headers, body }) {
    const old = headers[name];
    if (old !== undefined) headers[name] = value(String(old), body);
  },
});

const without =
  (name: string) =>
  ({ headers }: Message) => {
    delete headers[name];
  };

const keyIn = ({ headers }: Message) => String(headers['idempotency-key'] ?? '');

/** Repeats earlier responses to an idempotency key, with a status. */
function remember(pattern: RegExp, status: number): Breakage {
  const bodies = new Map<string, string>();
  return {
    request: on(pattern, (request) => {
      const body = bodies.get(keyIn(request));
      if (body !== undefined) Object.assign(request, { status, body });
    }),
    response: on(pattern, (response, request) => {
      const isFirst = keyIn(request) !== '' && response.status === status;
      if (isFirst) bodies.set(keyIn(request), response.body);
    }),
  };
}

/** All of them, with states of their own. */
export const createBreakages = (keys: Keys): BrokenPromise[] => {
  const orders = new Set<string>();
  const secrets = new Map<string, string>();
  const arrived = new Map<string, number>();
  const inFlight = new Set<string>();
  const raced = new Set<string>();
  let testOrder = '';
  return [
    {
      what: 'drops Idempotency-Key',
      fails: ['IDM-1', 'IDM-2', 'IDM-3', 'IDM-4'],
      api: { request: without('idempotency-key') },
    },
    {
      what: 'drops Idempotency-Key, and has secrets under another name',
      fails: ['IDM-4', 'IDM-1', 'IDM-2', 'IDM-3'],
      api: {
        ...rewrite(/^POST .*webhooks/, /"secret":/, '"signingSecret":'),
        request: without('idempotency-key'),
      },
    },
    {
      what: 'responds to a repeated request with another status',
      fails: ['IDM-1'],
      api: {
        response(response) {
          if (response.headers['idempotent-replayed'] === 'true') response.status = 200;
        },
      },
    },
    {
      what: 'has a key for each body',
      fails: ['IDM-3'],
      api: setHeader('idempotency-key', (old, body) => {
        return old + createHash('sha256').update(body).digest('hex').slice(0, 8);
      }),
    },
    {
      what: 'does not know the keys of requests that are not finished',
      fails: ['IDM-2'],
      api: {
        request: on(/^POST .*orders$/, (request) => {
          if (inFlight.has(keyIn(request))) delete request.headers['idempotency-key'];
          inFlight.add(keyIn(request));
        }),
        response: (_, request) => inFlight.delete(keyIn(request)),
      },
    },
    {
      what: 'shares keys between accounts',
      fails: ['IDM-4'],
      api: remember(/^POST .*webhooks$/, 201),
    },
    {
      what: 'keeps the rejection of a key',
      fails: ['IDM-5'],
      api: remember(/^POST .*orders$/, 422),
    },
    {
      what: 'sends no ETag',
      fails: ['IFM-1', 'IFM-2', 'IFM-3', 'IFM-4'],
      api: { response: without('etag') },
    },
    { what: 'ignores If-Match', fails: ['IFM-2', 'IFM-4'], api: { request: without('if-match') } },
    {
      what: 'rejects an old version with 409',
      fails: ['IFM-2'],
      api: {
        response(response) {
          if (response.status === 412) response.status = 409;
        },
      },
    },
    {
      what: 'accepts both of two simultaneous changes',
      fails: ['IFM-4'],
      api: {
        request: on(/^PATCH .*orders/, ({ path }) => {
          if (inFlight.has(path)) raced.add(path);
          inFlight.add(path);
        }),
        response: on(/^PATCH .*orders/, (response, { path }) => {
          inFlight.delete(path);
          if (response.status === 412 && raced.has(path)) response.status = 200;
        }),
      },
    },
    {
      what: 'rejects every If-Match',
      fails: ['IFM-3', 'IFM-4'],
      api: setHeader('if-match', () => '"0"'),
    },
    {
      what: 'repeats the first page',
      fails: ['CUR-1', 'CUR-2', 'CUR-3', 'CUR-5'],
      api: redirect(/cursor=/, /&cursor=[^&]*/, ''),
    },
    {
      what: 'has no nextCursor',
      fails: ['CUR-3', 'CUR-1', 'CUR-2'],
      api: rewrite(/^GET .*(orders|notifications)[?]/, /,"nextCursor":("[^"]*"|null)/, ''),
    },
    {
      what: 'ignores the limit',
      fails: ['CUR-2'],
      api: redirect(/^GET .*orders[?]/, /limit=\d+/, 'limit=100'),
    },
    {
      what: 'loses the filter after the first page',
      fails: ['CUR-4'],
      api: redirect(/cursor=/, /status=[^&]*&/, ''),
    },
    {
      what: 'takes an unknown cursor for the first page',
      fails: ['CUR-5'],
      api: redirect(/invented/, /&cursor=[^&]*/, ''),
    },
    {
      what: 'lists the orders of the account that got the cursor',
      fails: ['CUR-6'],
      api: impersonate(/orders[?]limit=1&cursor=/, keys.buyer),
    },
    {
      what: 'loses a notification on each further page',
      fails: ['CUR-1'],
      api: rewrite(/^GET .*notifications.*cursor=/, /\[\{[^}]*\},?/, '['),
    },
    {
      what: 'sends a 404 as application/json',
      fails: ['PRB-1'],
      api: {
        response({ status, headers }) {
          if (status === 404) headers['content-type'] = 'application/json';
        },
      },
    },
    {
      what: 'has problems without a code',
      fails: ['PRB-1'],
      api: rewrite(/./, /"code":"[^"]*",/, ''),
    },
    {
      what: 'has another status in a problem',
      fails: ['PRB-1'],
      api: rewrite(/./, /"status":404/, '"status":400'),
    },
    {
      what: 'tells a hidden order from an absent one',
      fails: ['PRB-2'],
      api: {
        response(response, { path }) {
          for (const [id] of response.body.matchAll(/ord_\w+/g))
            if (response.status < 300) orders.add(id);
          const isHidden = response.status === 404 && orders.has(path.split('/').at(-1) ?? '');
          if (isHidden) response.body = response.body.replace('"detail":"', '"detail":"Hidden: ');
        },
      },
    },
    {
      what: 'shows a stack in a problem',
      fails: ['PRB-3'],
      api: rewrite(
        /./,
        /"detail":"/,
        String.raw`"detail":"Error\n    at handle (/srv/app.js:1:1) `,
      ),
    },
    {
      what: 'writes RateLimit as a sentence',
      fails: ['RTE-1', 'RTE-2'],
      api: {
        response({ headers }) {
          headers.ratelimit = 'ninety requests left';
        },
      },
    },
    {
      what: 'shows other events of a webhook',
      fails: ['WHM-1'],
      api: rewrite(/^GET .*webhooks/, /order\.status_changed/g, 'order.created'),
    },
    {
      what: 'shows a webhook to every account',
      fails: ['WHM-2'],
      api: impersonate(/^GET .*webhooks[/]/, keys.seller),
    },
    {
      what: 'shows the secret of a webhook',
      fails: ['WHM-3'],
      api: {
        response: on(/webhooks/, (response, { method, path }) => {
          const [, id = '', secret = ''] =
            /"id":"(whk_\w+)".*"secret":"([^"]*)"/.exec(response.body) ?? [];
          if (secret) secrets.set(id, secret);
          const known = secrets.get(path.split('/').at(-1) ?? '');
          if (method === 'GET' && known)
            response.body = response.body.replace('"data":{', `"data":{"secret":"${known}",`);
        }),
      },
    },
    {
      what: 'does not pause',
      fails: ['WHM-4', 'WHM-5'],
      api: {
        request: on(/^PATCH .*webhooks/, (request) => {
          request.body = request.body.replace('paused', 'active');
        }),
      },
    },
    {
      what: 'keeps the old URL',
      fails: ['WHM-5'],
      api: {
        request: on(/^PATCH .*webhooks/, (request) => {
          if (request.body.includes('url')) request.body = '{"status":"paused"}';
        }),
      },
    },
    {
      what: 'deletes no webhook',
      fails: ['WHM-6', 'WHM-2'],
      api: respond(/^DELETE .*webhooks/, 204, ''),
    },
    {
      what: 'has one signature while a secret is staged',
      fails: ['WHM-7'],
      deliveries: setHeader('webhook-signature', (old) => old.split(' ')[0] ?? ''),
    },
    { what: 'promotes no secret', fails: ['WHM-7'], api: respond(/promote$/, 200, '{"data":{}}') },
    {
      what: 'does not mark test events',
      fails: ['WHM-8'],
      deliveries: { request: without('tradepost-test') },
    },
    {
      what: 'notifies of a test event',
      fails: ['WHM-8'],
      api: {
        response: on(/^GET .*notifications$/, (response) => {
          response.body = response.body.replace(
            /"data":\[.*\]/,
            `"data":[{"orderId":"${testOrder}"}]`,
          );
        }),
      },
      deliveries: {
        request({ body }) {
          testOrder = /ord_TradepostTest\w+/.exec(body)?.[0] ?? testOrder;
        },
      },
    },
    {
      what: 'shows another status of an attempt',
      fails: ['DLV-1'],
      api: rewrite(/^GET .*deliveries[/]/, /"status":500/, '"status":503'),
    },
    {
      what: 'shows a body that was formatted again',
      fails: ['DLV-1'],
      api: rewrite(/^GET .*deliveries[/]/, /"body":"\{/, '"body":"{ '),
    },
    {
      what: 'announces the next attempt for the wrong time',
      fails: ['DLV-2'],
      api: rewrite(/deliveries[?]/, /"nextAttemptAt":"\d+/, '"nextAttemptAt":"2020'),
    },
    {
      what: 'ends the retries after another time',
      fails: ['DLV-3'],
      api: rewrite(/deliveries[?]/, /"deadlineAt":"\d+/, '"deadlineAt":"2020'),
    },
    {
      what: 'replays other bytes',
      fails: ['DLV-4'],
      deliveries: {
        request(request) {
          const delivery = `${request.path} ${request.headers['webhook-id']}`;
          arrived.set(delivery, (arrived.get(delivery) ?? 0) + 1);
          if (arrived.get(delivery) === 3) request.body += ' ';
        },
      },
    },
    {
      what: 'replays deliveries for every account',
      fails: ['DLV-5'],
      api: impersonate(/replay$/, keys.seller),
    },
    {
      what: 'loses the first event of each page of the log',
      fails: ['EVL-2', 'EVL-1'],
      api: {
        response: on(/events[?]after=.*limit=5/, (response) => {
          const page: { data: unknown[] } = JSON.parse(response.body);
          response.body = JSON.stringify({ ...page, data: page.data.slice(1) });
        }),
      },
    },
    {
      what: 'has another time of an event in the log',
      fails: ['EVL-1'],
      api: rewrite(/events[?]after=.*limit=5/, /"createdAt":"\d+/g, '"createdAt":"2020'),
    },
    {
      what: 'repeats the events of a page on the next one',
      fails: ['EVL-2', 'EVL-1'],
      api: redirect(/events[?]after=.*limit=5/, /after=[^&]*&limit=5/, 'tail=5'),
    },
    {
      what: 'lists the events of all orders',
      fails: ['EVL-3', 'EVL-4'],
      api: redirect(/events[?]orderId/, /orderId=[^&]*/, 'limit=50'),
    },
    {
      what: 'does not wait for an event',
      fails: ['EVL-4'],
      api: redirect(/waitSeconds/, /&waitSeconds=\d+/, ''),
    },
    {
      what: 'shows the log to every account',
      fails: ['EVL-5'],
      api: impersonate(/^GET .*events[?]orderId/, keys.buyer),
    },
    {
      what: 'sends another webhook-id in each attempt',
      fails: ['STW-1', 'STW-3', 'WHM-7', 'DLV-4', 'EVL-1'],
      deliveries: setHeader('webhook-id', (old) => `${old}${randomUUID()}`),
    },
    {
      what: 'sends the time in milliseconds',
      fails: ['STW-2', 'STW-3', 'WHM-7'],
      deliveries: setHeader('webhook-timestamp', (old) => `${old}000`),
    },
    {
      what: 'signs with another algorithm',
      fails: ['STW-3', 'WHM-7'],
      deliveries: setHeader('webhook-signature', (old) => old.replaceAll('v1,', 'v1a,')),
    },
    {
      what: 'takes every account for a buyer',
      fails: ['ACC-1'],
      api: rewrite(/account$/, /"kind":"\w+"/, '"kind":"buyer"'),
    },
    {
      what: 'has another ID of an account',
      fails: ['ACC-2'],
      api: rewrite(/account$/, /"usr_/, '"acc_'),
    },
  ];
};
