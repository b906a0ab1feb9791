import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { verifyDelivery } from '@tradepost/sdk/webhooks';
import {
  createLog,
  insecureWebhookPolicy,
  openStore,
  type Store,
  startServer,
} from '@tradepost/server';
import { Pool } from 'undici';
import { type Call, describeRoute } from '../../../packages/server/test/model/call';
import { createOperator, findFailing } from '../../../packages/server/test/model/operator';
import type { ReceiverBehavior } from '../../../packages/server/test/model/state';
import { SteppedClock } from '../../../packages/server/test/model/stepped-clock';
import { createInspector } from '../../../packages/server/test/model/store-system';
import {
  type ActualReply,
  type FinishedAttempt,
  failOverdue,
  type SentAttempt,
  type System,
} from '../../../packages/server/test/model/system';
import { startHttpServer } from '../../helpers/loopback';
import { type Arrival, Arrivals } from '../../helpers/start-receiver';

/** The results that the server records. */
type Recorded = Parameters<Store['deliveries']['recordAttempts']>[0][number];

/** A store whose worker gets deliveries only when the test sends, and whose housekeeping fails and removes nothing that shows. */
class GatedStore {
  readonly store: Store;
  /** The results so far, in the order in which they were recorded. */
  readonly recorded: Recorded[] = [];
  #isOpen = false;
  #wake = () => {};
  #onRecorded = () => {};

  constructor(inner: Store) {
    const { deliveries, retention } = inner;
    this.store = {
      ...inner,
      onDeliveriesQueued: (listener) => {
        this.#wake = listener;
        inner.onDeliveriesQueued(listener);
      },
      retention: {
        ...retention,
        pruneSignIns: async () => ({ removed: 0, busyMs: 0, waitedMs: 0 }),
      },
      deliveries: {
        ...deliveries,
        failOverdue: async () => 0,
        leaseDue: async (request) => (this.#isOpen ? deliveries.leaseDue(request) : []),
        recordAttempts: async (results, now) => {
          await deliveries.recordAttempts(results, now);
          this.recorded.push(...results);
          this.#onRecorded();
        },
      },
    };
  }

  /** Lets the worker lease while `work` runs. */
  async open(work: () => Promise<unknown>): Promise<void> {
    this.#isOpen = true;
    this.#wake();
    await work();
    this.#isOpen = false;
  }

  /** Waits until so many results are recorded. */
  untilRecorded(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onRecorded = () => {
        if (this.recorded.length >= count) resolve();
      };
      this.#onRecorded();
    });
  }
}

/** A receiver that responds when it is told to, and how. */
async function startHoldingReceiver() {
  const arrivals = new Arrivals();
  const held: ServerResponse[] = [];
  const paths: string[] = [];
  const server = await startHttpServer(async (request, response) => {
    await arrivals.record(request);
    paths.push(request.url ?? '');
    held.push(response);
    arrivals.notify();
  });
  return {
    urls: ['a', 'b', 'c'].map((path) => `${server.url}/${path}`),
    close: server.close,
    /** Waits until so many deliveries have arrived in all. */
    until: (count: number) => arrivals.until(({ length }) => length >= count),
    /** Returns the deliveries after the first ones, with their URLs. */
    after: (count: number) =>
      arrivals.all.slice(count).map((arrival, index) => ({
        ...arrival,
        url: `${server.url}${paths[count + index]}`,
      })),
    /** Responds to all deliveries that have arrived. */
    respond(behavior: (url: string) => ReceiverBehavior): void {
      for (const response of held.splice(0)) {
        const { status, retryAfter } = behavior(`${server.url}${response.req.url}`);
        const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
        if (status === null) response.socket?.end('not HTTP\r\n\r\n');
        else response.writeHead(status, headers).end();
      }
    },
  };
}

const omittedHeaders = ['host', 'content-length', 'connection'];

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function toSent(url: string, { headers, body }: Arrival, now: number): SentAttempt {
  const shown = Object.entries(headers)
    .filter(([name]) => !omittedHeaders.includes(name))
    // The only header that webhooks of the model have: the delivery log does not show its value.
    .map(([name, value]) => [name, value === 'Bearer 1' ? '[hidden]' : value]);
  const delivery = { payload: body, headers, requireTimestamp: true, now, tolerance: 1 };
  return {
    url,
    headers: Object.fromEntries(shown) as Record<string, string>,
    body: body.toString('utf8'),
    async checkSignatures(secret, stagedSecret) {
      try {
        await verifyDelivery({ ...delivery, secret });
        if (stagedSecret !== null) {
          // `Service-Signature` is by the current secret, `webhook-signature` by both.
          const signature = createHmac('sha256', stagedSecret).update(body).digest('hex');
          await verifyDelivery({ ...delivery, secret: stagedSecret, signature });
        }
      } catch (error) {
        return String(error);
      }
      const count = String(headers['webhook-signature']).split(' ').length;
      return count === (stagedSecret === null ? 1 : 2) ? null : `it has ${count} signatures`;
    },
  };
}

/** Returns what identifies an attempt: no other has its URL and signature. */
const identify = (url: string, headers: Record<string, string>) =>
  `${url} ${headers['service-signature']} ${headers['webhook-signature']}`;

function toReply(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  text: string,
): ActualReply {
  const { location, etag, 'tradepost-changed': changed } = headers;
  const body = text === '' ? undefined : JSON.parse(text);
  const attempts = body?.data?.attempts as { headers: Record<string, string> }[] | undefined;
  for (const attempt of attempts ?? []) attempt.headers = lowerCaseNames(attempt.headers);
  return {
    status,
    headers: {
      ...(typeof location === 'string' && { location }),
      ...(typeof etag === 'string' && { etag }),
      ...(headers['idempotent-replayed'] === 'true' && { replayed: true }),
      ...(typeof changed === 'string' && { changed }),
    },
    body,
  };
}

/** How long the system waits for something that the model expects, in milliseconds. */
const expectationTimeoutMs = 5_000;

/** Waits for something that should happen soon. The test notices if it did not. */
async function expectSoon(event: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, expectationTimeoutMs);
  });
  await Promise.race([event, timeout]);
  clearTimeout(timer);
}

/**
 * Starts a real server, over HTTP, with a real receiver.
 *
 * @param database The database of its store, which is empty: a SQLite file, or the URL of a PostgreSQL database.
 */
export async function startHttpSystem(now: number, database = ':memory:'): Promise<System> {
  const clock = new SteppedClock(now);
  const inner = await openStore(database);
  const gated = new GatedStore(inner);
  const receiver = await startHoldingReceiver();
  const server = await startServer({
    store: gated.store,
    clock,
    random: () => 0.5,
    log: createLog('silent'),
    host: '127.0.0.1',
    port: 0,
    rateLimit: 1_000_000,
    webhookPolicy: insecureWebhookPolicy,
    docs: false,
    // The test disables endpoints itself.
    disableAfterDays: 0,
    validateResponses: true,
  });
  const pool = new Pool(server.url, { connections: 16 });
  let arrived = 0;
  let inFlight: SentAttempt[] = [];

  async function call(request: Call): Promise<ActualReply> {
    const { apiKey, query = {}, idempotencyKey, ifMatch, body } = request;
    const { method, path } = describeRoute(request);
    const response = await pool.request({
      method,
      path,
      query,
      headers: {
        ...(apiKey !== null && { Authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return toReply(response.statusCode, response.headers, await response.body.text());
  }

  return {
    clock,
    isSerial: !database.startsWith('postgres'),
    urls: receiver.urls,
    call,
    operate: createOperator(inner, clock),
    findFailing: () => findFailing(inner, clock.now()),
    inspect: createInspector(inner, clock),
    sweep: () => failOverdue(inner, clock.now()),

    async send(count) {
      await gated.open(() => expectSoon(receiver.until(arrived + count)));
      const arrivals = receiver.after(arrived);
      arrived += arrivals.length;
      const sent = arrivals.map(({ url, ...arrival }) => toSent(url, arrival, clock.now()));
      inFlight = [...inFlight, ...sent];
      return sent;
    },

    async respond(behavior) {
      const recordedBefore = gated.recorded.length;
      receiver.respond(behavior);
      await expectSoon(gated.untilRecorded(recordedBefore + inFlight.length));
      const finished: FinishedAttempt[] = [];
      for (const { attempt } of gated.recorded.slice(recordedBefore)) {
        const { url = '', headers = {}, startedAt = 0, durationMs = 0 } = attempt ?? {};
        const id = identify(url, lowerCaseNames(headers));
        const sent = inFlight.find((one) => identify(one.url, one.headers) === id);
        if (sent === undefined) throw new Error(`An attempt was recorded that was not sent: ${id}`);
        finished.push({ sent, startedAt, durationMs });
      }
      inFlight = [];
      return finished;
    },

    async close() {
      receiver.respond(() => ({ status: 204 }));
      await pool.destroy();
      await server.close();
      await receiver.close();
    },
  };
}
