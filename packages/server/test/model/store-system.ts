import { contract, problems } from '@tradepost/contract';
import type { Caller } from '@tradepost/domain/accounts/account';
import { accountRoutes } from '@tradepost/domain/accounts/account-routes';
import {
  type Attempt,
  type LeasedDelivery,
  leaseMs,
  resolveAttempt,
} from '@tradepost/domain/deliveries/delivery';
import { deliveryRoutes } from '@tradepost/domain/deliveries/delivery-routes';
import { testEventRoutes } from '@tradepost/domain/deliveries/test-event-routes';
import { eventRoutes } from '@tradepost/domain/events/event-routes';
import { LongPollRegistry } from '@tradepost/domain/events/long-poll-registry';
import { createIdGenerator } from '@tradepost/domain/kernel/context';
import { DomainError } from '@tradepost/domain/kernel/errors';
import type { StoredResponse } from '@tradepost/domain/kernel/idempotency';
import { notificationRoutes } from '@tradepost/domain/notifications/notification-routes';
import { orderRoutes } from '@tradepost/domain/orders/order-routes';
import type { RequestContext } from '@tradepost/domain/route-handlers';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { webhookRoutes } from '@tradepost/domain/webhooks/webhook-routes';
import { deliveryHeaders } from '../../src/engine/attempt/send';
import { readIdempotencyKey } from '../../src/http/app';
import { hashApiKey } from '../../src/kernel/api-key';
import { isPostgresUrl } from '../../src/stores/database-url';
import { openStore } from '../../src/stores/open-store';
import type { Store } from '../../src/stores/store';
import type { Call } from './call';
import { createOperator } from './operator';
import type { ReceiverBehavior } from './state';
import { SteppedClock } from './stepped-clock';
import {
  type ActualReply,
  type FinishedAttempt,
  failOverdue,
  type SentAttempt,
  type System,
} from './system';

interface Schema {
  safeParse(value: unknown): { success: boolean; data?: unknown };
}

/** The parts of a contract's route that this system reads. */
interface RouteSchemas {
  method: string;
  metadata: { operationId: string };
  query?: Schema;
  body?: Schema;
}

type Handler = (request: Record<string, unknown> & RequestContext) => Promise<StoredResponse>;

/** Finds the caller of a call, by the rules of authentication. */
async function authenticate(store: Store, now: number, text: string | null): Promise<Caller> {
  if (text === null) throw new DomainError('missing_api_key', '');
  const key = await store.accounts.findKeyByHash(hashApiKey(text));
  const isExpired = key !== null && key.expiresAt !== null && key.expiresAt <= now;
  if (key === null || key.revokedAt !== null || isExpired) {
    throw new DomainError('invalid_api_key', '');
  }
  const { accountId, kind, id: keyId, readOnly } = key;
  return { accountId, kind, keyId, readOnly };
}

function parse(schema: Schema | undefined, value: unknown): unknown {
  const result = schema?.safeParse(value);
  if (result?.success === false) throw new DomainError('validation_failed', '');
  return result?.data;
}

const noJitter = () => 0.5;

/**
 * A store and the handlers of the features, without HTTP. Deliveries are leased and recorded through the port.
 *
 * @param database The database of the store, which is empty: a SQLite file, or the URL of a PostgreSQL database.
 */
export async function openStoreSystem(now: number, database = ':memory:'): Promise<System> {
  const clock = new SteppedClock(now);
  const store = await openStore(database);
  const newId = createIdGenerator();
  const longPolls = new LongPollRegistry(clock);
  store.onEvents((accountIds) => longPolls.notify(accountIds));
  const handlers = {
    orders: orderRoutes(store.orders, clock, newId),
    notifications: notificationRoutes(store.notifications),
    webhooks: {
      ...webhookRoutes(store.webhooks, insecureWebhookPolicy, clock, newId),
      ...testEventRoutes(store.deliveryLog, clock, newId),
    },
    deliveries: deliveryRoutes(store.deliveryLog, clock, newId),
    events: eventRoutes(store.events, longPolls, clock),
    account: accountRoutes(store.accounts),
  };
  const inFlight = new Map<LeasedDelivery, SentAttempt>();
  let leases = 0;

  async function handle(call: Call): Promise<StoredResponse> {
    const [noun, verb] = call.route.split('.') as ['orders', 'get'];
    const route = contract[noun][verb] as unknown as RouteSchemas;
    const handler = handlers[noun][verb] as unknown as Handler;
    const caller = await authenticate(store, clock.now(), call.apiKey);
    if (caller.readOnly && route.method !== 'GET') throw new DomainError('read_only_api_key', '');
    const params = call.id === undefined ? {} : { id: call.id };
    const headers = { 'idempotency-key': call.idempotencyKey, 'if-match': call.ifMatch };
    const body = parse(route.body, call.body);
    const query = parse(route.query, stringify(call.query));
    const request = { params, headers, body };
    const { operationId } = route.metadata;
    return handler({
      ...request,
      query,
      caller,
      idempotencyKey: readIdempotencyKey(caller, operationId, request, clock.now()),
      signal: new AbortController().signal,
      requireValidKey: async () => {
        await authenticate(store, clock.now(), call.apiKey);
      },
    });
  }

  return {
    clock,
    isSerial: !isPostgresUrl(database),
    urls: ['https://a.example/in', 'https://b.example/in', 'https://c.example/in'],
    operate: createOperator(store, clock),
    sweep: () => failOverdue(store, clock.now()),
    close: () => store.close(),

    async call(call) {
      try {
        return toReply(await handle(call));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const { code } = error;
        return { status: problems[code].status, headers: {}, body: { code } };
      }
    },

    async send() {
      const now = clock.now();
      leases += 1;
      const request = { now, leaseUntil: now + leaseMs, leaseToken: `lease-${leases}`, limit: 256 };
      const leased = await store.deliveries.leaseDue(request);
      for (const delivery of leased) inFlight.set(delivery, toSent(delivery, now));
      return [...inFlight.values()];
    },

    async respond(behavior) {
      const finished: FinishedAttempt[] = [];
      const results = [...inFlight].map(([delivery, sent]) => {
        const attempt = toAttempt(sent, behavior(sent.url), clock.now());
        const { startedAt, durationMs } = attempt;
        finished.push({ sent, startedAt, durationMs });
        return resolveAttempt(delivery, attempt, noJitter);
      });
      inFlight.clear();
      await store.deliveries.recordAttempts(results, clock.now());
      return finished;
    },
  };
}

function stringify(query: Call['query'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

function toReply({ status, headers, body }: StoredResponse): ActualReply {
  const {
    Location: location,
    ETag: etag,
    'Idempotent-Replayed': replayed,
    'Tradepost-Changed': changed,
  } = headers ?? {};
  return {
    status,
    headers: {
      ...(location !== undefined && { location }),
      ...(etag !== undefined && { etag }),
      ...(replayed !== undefined && { replayed: true }),
      ...(changed !== undefined && { changed }),
    },
    body,
  };
}

const startTimes = new WeakMap<SentAttempt, number>();

function toSent(delivery: LeasedDelivery, now: number): SentAttempt {
  const headers = Object.entries(deliveryHeaders(delivery, now));
  const sent: SentAttempt = {
    url: delivery.url,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: delivery.body,
    async checkSignatures(secret, stagedSecret) {
      const isRight = delivery.secret === secret && delivery.stagedSecret === stagedSecret;
      return isRight ? null : `it is signed with ${delivery.secret} and ${delivery.stagedSecret}`;
    },
  };
  startTimes.set(sent, now);
  return sent;
}

function toAttempt(
  sent: SentAttempt,
  { status, retryAfter }: ReceiverBehavior,
  endedAt: number,
): Attempt {
  const startedAt = startTimes.get(sent) ?? endedAt;
  return {
    startedAt,
    durationMs: endedAt - startedAt,
    url: sent.url,
    headers: sent.headers,
    status,
    error: status === null ? 'malformed_response' : null,
    responseSnippet: '',
    retryAfter: retryAfter === undefined ? null : retryAfter * 1_000,
  };
}
