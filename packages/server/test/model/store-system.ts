import { contract, problems } from '@tradepost/contract';
import {
  type Attempt,
  type LeasedDelivery,
  leaseMs,
  resolveAttempt,
} from '@tradepost/domain/deliveries/delivery';
import { LongPollRegistry } from '@tradepost/domain/events/announcements';
import { type Clock, createIdGenerator } from '@tradepost/domain/kernel/context';
import { DomainError } from '@tradepost/domain/kernel/errors';
import type { StoredResponse } from '@tradepost/domain/kernel/idempotency';
import { createMemoryStore } from '@tradepost/domain/memory/memory-store';
import { type MatchedRoute, Service, type ServiceSettings } from '@tradepost/domain/service';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { deliveryHeaders } from '../../src/engine/attempt/delivery-headers';
import { tokens } from '../../src/kernel/api-key';
import { isPostgresUrl } from '../../src/stores/database-url';
import { openStore } from '../../src/stores/open-store';
import type { Call } from './call';
import { createOperator, findFailing } from './operator';
import type { ReceiverBehavior } from './state';
import { SteppedClock } from './stepped-clock';
import {
  type ActualReply,
  type FinishedAttempt,
  failOverdue,
  type SentAttempt,
  type System,
  withoutSuspensions,
} from './system';

const noJitter = () => 0.5;

/** What the handlers use of a store. */
type ServiceStore = ServiceSettings['store'];

/** Creates the handlers of the features on a store, without HTTP. */
function createService(store: ServiceStore, clock: Clock, longPolls: LongPollRegistry): Service {
  const newId = createIdGenerator();
  const webhookPolicy = insecureWebhookPolicy;
  return new Service({ store, clock, newId, longPolls, webhookPolicy, tokens });
}

/** Creates the function that reads from a store what accounts would see that are suspended. */
export function createInspector(store: ServiceStore, clock: Clock): System['inspect'] {
  const service = createService(withoutSuspensions(store), clock, new LongPollRegistry(clock));
  return (call) => callService(service, call);
}

async function callService(service: Service, call: Call): Promise<ActualReply> {
  try {
    return toReply(await handle(service, call));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code } = error;
    return { status: problems[code].status, headers: {}, body: { code } };
  }
}

async function handle(service: Service, call: Call): Promise<StoredResponse> {
  const [noun, name] = call.route.split('.') as ['orders', 'get'];
  const route = contract[noun][name] as MatchedRoute['route'];
  const given = {
    authorization: call.apiKey === null ? undefined : `Bearer ${call.apiKey}`,
    'idempotency-key': call.idempotencyKey,
    'if-match': call.ifMatch,
  };
  const headers = Object.entries(given).filter((entry) => entry[1] !== undefined);
  return service.handle(
    { noun, name, route, params: call.id === undefined ? {} : { id: call.id } },
    {
      method: route.method,
      query: stringify(call.query),
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: call.body,
      signal: new AbortController().signal,
    },
  );
}

/**
 * A store and the handlers of the features, without HTTP. Deliveries are leased and recorded through the port.
 *
 * @param database The database of the store, which is empty: a SQLite file, the URL of a PostgreSQL database, or `memory` for the
 *   store in memory that the mock has.
 */
export async function openStoreSystem(now: number, database = ':memory:'): Promise<System> {
  const clock = new SteppedClock(now);
  const store = database === 'memory' ? createMemoryStore() : await openStore(database);
  const longPolls = new LongPollRegistry(clock);
  store.onEvents((accountIds) => longPolls.notify(accountIds));
  const service = createService(store, clock, longPolls);
  const inFlight = new Map<LeasedDelivery, SentAttempt>();
  let leases = 0;

  return {
    clock,
    isSerial: !isPostgresUrl(database),
    urls: ['https://a.example/in', 'https://b.example/in', 'https://c.example/in'],
    operate: createOperator(store, clock),
    findFailing: () => findFailing(store, clock.now()),
    call: (call) => callService(service, call),
    inspect: createInspector(store, clock),
    sweep: () => failOverdue(store, clock.now()),
    close: () => store.close(),

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
