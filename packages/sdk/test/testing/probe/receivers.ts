import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { exampleSecret, type ProbeOptions } from '../../../src/testing/index';

/** What a receiver sees of a request. */
export interface Received {
  method: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  pieces: Buffer[];
  body: Buffer;
}

/** Effects that a receiver had, and the IDs that it has seen. */
export interface Memory {
  handled: number;
  seen: Set<string>;
}

export type Handle = (
  received: Received,
  memory: Memory,
) => number | [number, string, object?] | 'close';

/** Serves a handler. A body that is not JSON is a 400, any other error a 500. `close` ends the connection. */
export function serve(handle: Handle, memory: Memory): RequestListener {
  return async (request, response: ServerResponse) => {
    const pieces: Buffer[] = await request.toArray();
    const { method = '', headers, rawHeaders } = request;
    try {
      const received = { method, headers, rawHeaders, pieces, body: Buffer.concat(pieces) };
      const result = handle(received, memory);
      if (result === 'close') return request.socket.destroy();
      const [status, text = '', more = {}] = typeof result === 'number' ? [result] : result;
      return response.writeHead(status, { ...more }).end(text);
    } catch (error) {
      return response.writeHead(error instanceof SyntaxError ? 400 : 500).end();
    }
  };
}

const secret = exampleSecret;
const nextSecret = 'whsec_bmV4dA==';
const key = Buffer.from(secret.slice('whsec_'.length), 'base64');

const hmac = (body: Buffer | string, by: string | Buffer = secret) =>
  createHmac('sha256', by).update(body).digest();
const hex = (body: Buffer | string, by?: string | Buffer) => hmac(body, by).toString('hex');
const name = 'Service-Signature';
const header = ({ headers }: Received) => String(headers[name.toLowerCase()] ?? '');

function isEqual(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Acts once for each delivery, whatever its type. */
function act({ headers, body }: Received, memory: Memory, field = 'event'): number {
  const envelope = JSON.parse(body.toString());
  if (typeof envelope[field] !== 'string') return 400;
  const id = String(headers['webhook-id'] ?? headers['service-signature']);
  if (!memory.seen.has(id)) memory.handled += 1;
  memory.seen.add(id);
  return 204;
}

/** A receiver that compares with what it expects, and is otherwise sound. */
const expecting =
  (expected: (received: Received) => string): Handle =>
  (received, memory) =>
    isEqual(expected(received), header(received)) ? act(received, memory) : 400;

interface StandardRules {
  /** Seconds. */
  tolerance?: number;
  /** Which signatures of the header are compared. @default all */
  signatures?: (list: string[]) => string[];
}

/** Verifies `webhook-signature`, which covers ID, time and body. */
const standard =
  ({ tolerance = 300, signatures = (list) => list }: StandardRules = {}): Handle =>
  (received, memory) => {
    const { headers, body } = received;
    const { 'webhook-id': id, 'webhook-timestamp': at } = headers;
    const signed = Buffer.concat([Buffer.from(`${id}.${at}.`), body]);
    const tag = `v1,${hmac(signed, key).toString('base64')}`;
    const isSigned = signatures(String(headers['webhook-signature']).split(' ')).some((one) =>
      isEqual(one, tag),
    );
    const isRecent = Math.abs(Date.now() / 1_000 - Number(at)) <= tolerance;
    return isSigned && isRecent ? act(received, memory) : 401;
  };

export const byServiceSignature = expecting(({ body }) => hex(body));
export const byWebhookSignature = standard();

const isGenuine = (received: Received) => isEqual(hex(received.body), header(received));
const parse = ({ body }: Received) => JSON.parse(body.toString());

/** A sound receiver, except that it responds in another way to some requests. */
export const when =
  (
    test: (received: Received, memory: Memory) => boolean,
    result: ReturnType<Handle> | ((received: Received) => ReturnType<Handle>),
  ): Handle =>
  (received, memory) => {
    if (!test(received, memory)) return byServiceSignature(received, memory);
    return typeof result === 'function' ? result(received) : result;
  };
export const isForged = (received: Received) => !isGenuine(received);

/** A sound receiver that acts on one type of event only. */
export const ofCreated = when(
  (received) => isGenuine(received) && parse(received).event !== 'order.created',
  204,
);
/** A receiver that never remembers what it handled. */
const forgetful =
  (handle: Handle): Handle =>
  (received, memory) =>
    handle(received, Object.assign(memory, { seen: new Set() }));
const isUnsigned = (received: Received) => header(received) === '';
/** Also accepts what was signed with another key. */
export const alsoKey = (by: string) =>
  when((received) => hex(received.body, by) === header(received), 204);
/** Accepts both secrets, and says why it refuses the rest. */
const withNextSecret = (why: (received: Received) => string) =>
  when(isForged, (received) =>
    hex(received.body, nextSecret) === header(received) ? 204 : [400, why(received)],
  );

interface Setting extends Pick<ProbeOptions, 'declare' | 'nextSecret'> {
  /** Whether effects are counted. */
  counts?: true;
}

const strict: Setting = { declare: { standardWebhooks: true } };

/** What owners of receivers get wrong, by the cause that names it. Each is the smallest receiver that does so. */
const mistakesByCause: Record<string, Record<string, Handle | [Handle, Setting]>> = {
  'no verification': { 'verifies nothing': act },
  'parses and serializes': {
    'serializes what it parsed': expecting((received) => hex(JSON.stringify(parse(received)))),
    'serializes with spaces': expecting((received) =>
      hex(JSON.stringify(parse(received)).replaceAll(/(?<=")[:,](?=["{])/g, '$& ')),
    ),
  },
  'trims the body': { 'trims the body': expecting(({ body }) => hex(body.toString().trim())) },
  'decodes the body': {
    'decodes the body as Latin-1': expecting(({ body }) => hex(body.toString('latin1'))),
    'decodes the body as ASCII': expecting(({ body }) => hex(body.toString('ascii'))),
  },
  'encodes otherwise': {
    'compares with upper case': expecting(({ body }) => hex(body).toUpperCase()),
    'compares with base64': expecting(({ body }) => hmac(body).toString('base64')),
    'expects sha256= first': expecting(({ body }) => `sha256=${hex(body)}`),
  },
  'wrong secret': {
    'has another secret': expecting(({ body }) => hex(body, 'whsec_b3RoZXI=')),
    'has another secret, and says so': () => [401, 'Check the signing secret'],
  },
  'wrong form of the secret': {
    'decodes the secret': expecting(({ body }) => hex(body, key)),
    'leaves out whsec_': expecting(({ body }) => hex(body, secret.slice('whsec_'.length))),
    'reads the secret with a line end': expecting(({ body }) => hex(body, `${secret}\n`)),
  },
  'reads type': {
    'reads type': (received, memory) => (isGenuine(received) ? act(received, memory, 'type') : 400),
    'ignores an event without type': [
      when((received) => isGenuine(received) && parse(received).type === undefined, 204),
      { counts: true },
    ],
  },
  'refuses unknown types': {
    'refuses new types': when((received) => parse(received).event === 'order.probed', 422),
  },
  'refuses unknown fields': {
    'refuses new fields': when((received) => Object.keys(parse(received)).length > 3, 400),
  },
  'ignores the timestamp': {
    'ignores the timestamp': [standard({ tolerance: Number.POSITIVE_INFINITY }), strict],
  },
  replays: { 'requires too little': [byServiceSignature, strict] },
  'tight tolerance': { 'tolerates a minute': standard({ tolerance: 60 }) },
  'first signature only': {
    'verifies the first signature': standard({ signatures: (list) => list.slice(0, 1) }),
  },
  'lacks the next secret': {
    'has one secret': [byServiceSignature, { nextSecret }],
  },
  'compares a part': {
    'compares with startsWith': when(
      (received) => header(received) !== '' && hex(received.body).startsWith(header(received)),
      204,
    ),
    'compares what follows a prefix, if anything does': when(
      (received) => hex(received.body).startsWith(header(received).split('=')[1] ?? '-'),
      204,
    ),
    'compares 8 characters': when(
      (received) => hex(received.body).slice(0, 8) === header(received).slice(0, 8),
      204,
    ),
  },
  'skips unsigned requests': { 'accepts what is not signed': when(isUnsigned, 204) },
  'fails without a signature': {
    'fails without the header': when(isUnsigned, 500),
    'ends the connection without the header': when(isUnsigned, 'close'),
  },
  'fails on malformed signatures': {
    // `timingSafeEqual` throws if the lengths in bytes differ.
    'compares lengths in characters': when(
      (received) => header(received).length === 64,
      (received) =>
        timingSafeEqual(Buffer.from(hex(received.body)), Buffer.from(header(received))) ? 204 : 400,
    ),
  },
  'fails on forged deliveries': { 'fails on a mismatch': when(isForged, 500) },
  'accepts forged deliveries': { 'accepts no body': when(({ body }) => body.length === 0, 204) },
  other: { 'refuses a type': when((one) => parse(one).event === 'task.completed', 422) },
  'no chunked bodies': {
    'needs a length': when(({ headers }) => 'transfer-encoding' in headers, 411),
  },
  unavailable: {
    'is not available for each seventh request': (received, memory) => {
      memory.handled += 1;
      return memory.handled % 7 === 0 ? 503 : isGenuine(received) ? 204 : 400;
    },
    'is not available for new fields': when((one) => Object.keys(parse(one)).length > 3, 503),
  },
  'stopped accepting': {
    'blocks its sender after a forged delivery': (received, memory) => {
      if (isForged(received)) memory.seen.add('blocked');
      return memory.seen.has('blocked') ? 403 : byServiceSignature(received, memory);
    },
  },
  'guessable key': {
    'takes an empty secret': alsoKey(''),
    'takes the text undefined for a secret': alsoKey('undefined'),
    'takes the ID of the webhook': [alsoKey('whk_1'), { declare: { webhookId: 'whk_1' } }],
  },
  'auth or CSRF in front': {
    'is behind a login': () => [401, '', { 'WWW-Authenticate': 'Bearer' }],
    'is behind a CSRF check': () => [403, 'CSRF verification failed. Request aborted.'],
    'redirects to a login': () => [302, '', { Location: '/login?next=/webhooks' }],
  },
  redirect: { 'redirects to a slash': () => [308, '', { Location: '/webhooks/' }] },
  'wrong path': { 'is at another path': () => 404 },
  'method not allowed': { 'takes GET only': ({ method }) => (method === 'GET' ? 200 : 405) },
  'body limit': { 'takes 100 kB': when(({ body }) => body.length > 100_000, 413) },
  'decodes pieces': {
    'decodes one piece after the other': expecting(({ pieces }) =>
      hex(pieces.map((piece) => piece.toString()).join('')),
    ),
  },
  'case-sensitive headers': {
    'looks for one spelling': when(({ rawHeaders }) => !rawHeaders.includes(name), 400),
  },
  'refuses duplicates': {
    'refuses a second copy': when(
      ({ headers }, { seen }) => seen.has(`${headers['webhook-id']}`),
      409,
    ),
  },
  'handles twice': {
    'handles a second copy': [forgetful(byServiceSignature), { counts: true }],
    'remembers the signature, which each attempt changes': [
      (received, memory) => {
        const id = received.headers['webhook-signature'];
        return byServiceSignature(
          { ...received, headers: { ...received.headers, 'webhook-id': String(id) } },
          memory,
        );
      },
      { counts: true },
    ],
    'handles a second copy of the one type that it knows': [forgetful(ofCreated), { counts: true }],
  },
  'acts before it verifies': {
    'acts on one type, then verifies': [
      (received, memory) => {
        if (/"order.created"/.test(received.body.toString())) act(received, memory);
        return isGenuine(received) ? 204 : 400;
      },
      { counts: true },
    ],
    'acts, then verifies': [
      (received, memory) => {
        act(received, memory);
        return isGenuine(received) ? 204 : 400;
      },
      { counts: true },
    ],
  },
  'leaks a stack': {
    'shows a stack': when(isForged, () => [400, String(new Error('no').stack)]),
    'shows a stack as JSON': when(isForged, () => [400, JSON.stringify(new Error('no').stack)]),
    'shows a stack in every response': (received, memory) => [
      isGenuine(received) && act(received, memory) === 204 ? 200 : 400,
      'at handle (/app/receiver.js:7:11)',
    ],
  },
  'leaks the signature': {
    'shows what it expected': when(isForged, ({ body }) => [400, `not ${hex(body)}`]),
    'shows what it expected of the next secret': [
      withNextSecret(({ body }) => `not ${hex(body, nextSecret)}`),
      { nextSecret },
    ],
  },
  'leaks the secret': {
    'shows its secret': when(isForged, [400, `signed by ${secret}`]),
    'shows the next secret': [withNextSecret(() => `signed by ${nextSecret}`), { nextSecret }],
  },
  'content type': {
    'requires one content type': when(
      ({ headers }) => headers['content-type'] !== 'application/json',
      415,
    ),
  },
};

/** The mistakes as rows: what the receiver does, the cause, the receiver, and how it is probed. */
export const mistakes = Object.entries(mistakesByCause).flatMap(([cause, receivers]) =>
  Object.entries(receivers).map(([what, one]): [string, string, Handle, Setting] =>
    Array.isArray(one) ? [what, cause, ...one] : [what, cause, one, {}],
  ),
);
