import { createHash } from 'node:crypto';
import type {
  SimulatedReceiver,
  SimulationEnvironment,
  SimulationOptions,
} from '../../../src/testing/index';
import {
  type VerifiedDelivery,
  verifyDelivery,
  webhookReceiver,
} from '../../../src/webhooks/index';

/** A store of handled deliveries whose claims end by themselves, after a minute by default. */
export function createStore(now: () => number, leaseMs = 60_000, retentionMs = 259_200_000) {
  const rows = new Map<string, { state: 'completed' | 'in_progress'; until: number }>();
  return {
    claim(key: string): 'acquired' | 'completed' | 'in_progress' {
      const row = rows.get(key);
      if (row && row.until > now()) return row.state;
      rows.set(key, { state: 'in_progress', until: now() + leaseMs });
      return 'acquired';
    },
    has: (key: string) => rows.has(key),
    complete: (key: string) =>
      void rows.set(key, { state: 'completed', until: now() + retentionMs }),
  };
}

type Environment = SimulationEnvironment;
type Store = ReturnType<typeof createStore>;
type Claims = {
  [Name in keyof Store]: (
    key: string,
  ) => ReturnType<Store[Name]> | Promise<ReturnType<Store[Name]>>;
};

/** What a receiver works with. */
interface Tools {
  environment: Environment;
  claims: Claims;
  delivery: VerifiedDelivery;
  key: string;
  /** Does the work of the event. */
  work(): Promise<void>;
}

/** The parts of a receiver, each of which a mistake replaces. */
interface Parts {
  verify(request: Request, environment: Environment): Promise<VerifiedDelivery>;
  getKey(delivery: VerifiedDelivery, body: string): string;
  createClaims(environment: Environment): Claims;
  /** Stores the status of an order. */
  store(rows: Map<string, { status: unknown; version: number }>, delivery: VerifiedDelivery): void;
  /** Returns the status of the response. */
  handle(tools: Tools): Promise<number>;
}

const createShared = (environment: Environment, leaseMs?: number, retentionMs?: number) =>
  environment.wrap(
    environment.durable('claims', () => createStore(environment.now, leaseMs, retentionMs)),
  );

/** Verifies a delivery with the secrets and the clock of an environment. */
export const verifyWith = (
  request: Request,
  { secrets, now }: Pick<Environment, 'secrets' | 'now'>,
  tolerance = 300,
) =>
  verifyDelivery({
    payload: request,
    secrets: secrets(),
    now: now(),
    requireTimestamp: true,
    tolerance,
  });

/** A receiver without a mistake. */
export const correct: Parts = {
  verify: (request, environment) => verifyWith(request, environment),
  getKey: ({ id }) => String(id),
  createClaims: (environment) => createShared(environment),
  store(rows, { event, orderVersion }) {
    const { orderId, status } = event.data as { orderId?: string; status?: string };
    const version = orderVersion ?? 0;
    if (orderId && status && version > (rows.get(orderId)?.version ?? 0)) {
      rows.set(orderId, { status, version });
    }
  },
  async handle({ claims, key, work }) {
    const state = await claims.claim(key);
    if (state !== 'acquired') return state === 'completed' ? 204 : 503;
    await work();
    await claims.complete(key);
    return 204;
  },
};

/** Creates the options of a simulation of a receiver with other parts. */
export function withParts(changes: Partial<Parts> = {}): SimulationOptions {
  const parts = { ...correct, ...changes };
  return {
    start(environment): SimulatedReceiver {
      const claims = parts.createClaims(environment);
      const rows = environment.durable('orders', () => new Map());
      return {
        async receive(request) {
          const body = await request.clone().text();
          let delivery: VerifiedDelivery;
          try {
            delivery = await parts.verify(request, environment);
          } catch {
            return new Response(null, { status: 400 });
          }
          const key = parts.getKey(delivery, body);
          const work = async () => {
            parts.store(rows, delivery);
            await environment.effect(delivery.id);
          };
          const status = await parts.handle({ environment, claims, delivery, key, work });
          return new Response(null, { status });
        },
      };
    },
    snapshot: ({ durable }) => durable('orders', () => new Map()),
  };
}

/** A mistake, and how a simulation names it. */
export interface Mistake {
  title: string;
  /** The invariant and the cause. */
  found: string;
  options: SimulationOptions;
}

const startedAt = Date.now();

const mistake = (title: string, found: string, changes: Partial<Parts>): Mistake => ({
  title,
  found,
  options: withParts(changes),
});

/** Handles a delivery after the response. */
const acknowledgeFirst: Parts['handle'] = async (tools) => {
  void correct.handle(tools);
  return 202;
};

export const mistakes: readonly Mistake[] = [
  mistake('acknowledges before it stores', 'N1 acknowledged first', { handle: acknowledgeFirst }),
  mistake('acknowledges, and works after a timer', 'N1 acknowledged first', {
    async handle(tools) {
      setTimeout(() => correct.handle(tools));
      return 202;
    },
  }),
  {
    title: 'keeps the jobs of a worker in memory',
    found: 'N1 acknowledged first',
    options: {
      start(environment) {
        const jobs: Parameters<Parts['handle']>[0][] = [];
        const work = async () => {
          for (;;) {
            await environment.sleep(60_000);
            for (const job of jobs.splice(0)) await correct.handle(job);
          }
        };
        void work();
        const handle: Parts['handle'] = async (tools) => {
          jobs.push(tools);
          return 202;
        };
        return withParts({ handle }).start(environment);
      },
    },
  },
  {
    title: 'handles in the background of a webhookReceiver',
    found: 'N1 acknowledged first',
    options: {
      start(environment) {
        const { fetch: receive } = webhookReceiver({
          secret: environment.secrets,
          now: environment.now,
          requireTimestamp: true,
          dedupe: { ...createShared(environment), release: () => undefined },
          onUnhandled: (_, { id }) => environment.effect(id),
          onVerificationError: () => undefined,
          background: true,
          onError: () => undefined,
        });
        return { receive };
      },
    },
  },
  mistake('has no deduplication', 'N2 again', {
    async handle({ work }) {
      await work();
      return 204;
    },
  }),
  mistake('deduplicates in the memory of each instance', 'N2 other process', {
    createClaims: ({ now, wrap }) => wrap(createStore(now)),
  }),
  mistake('checks and claims in two steps', 'N2 simultaneous', {
    async handle({ claims, key, work }) {
      if (await claims.has(key)) return 204;
      await work();
      await claims.complete(key);
      return 204;
    },
  }),
  mistake('forgets after an hour', 'N2 hours later', {
    createClaims: (environment) => createShared(environment, 60_000, 3_600_000),
  }),
  mistake('has a lease that is shorter than its work', 'N2 simultaneous', {
    createClaims: (environment) => createShared(environment, 100),
  }),
  mistake('records before the effect', 'N1 recorded first', {
    async handle({ claims, key, work }) {
      const state = await claims.claim(key);
      if (state !== 'acquired') return state === 'completed' ? 204 : 503;
      await claims.complete(key);
      await work();
      return 204;
    },
  }),
  mistake('acknowledges a copy in progress', 'N1 recorded first', {
    handle: async (tools) => {
      const status = await correct.handle(tools);
      return status === 503 ? 204 : status;
    },
  }),
  mistake('has claims without end', 'N3 crash', {
    createClaims: (environment) => createShared(environment, Number.POSITIVE_INFINITY),
  }),
  mistake('uses the type as the key', 'N6 mistaken', { getKey: ({ event }) => event.event }),
  mistake('uses the order as the key', 'N6 mistaken', {
    getKey: ({ event, id }) => String((event.data as { orderId?: string }).orderId ?? id),
  }),
  mistake('uses createdAt as the key', 'N6 mistaken', { getKey: ({ event }) => event.createdAt }),
  mistake('uses a hash of the body as the key', 'N6 mistaken', {
    getKey: (_, body) => createHash('sha256').update(body).digest('hex'),
  }),
  mistake('stores whatever arrived last', 'N5 order', {
    store(rows, { event }) {
      const { orderId, status } = event.data as { orderId?: string; status?: string };
      if (orderId && status) rows.set(orderId, { status, version: 0 });
    },
  }),
  mistake('rejects a copy in progress with 422', 'N9 in flight', {
    handle: async (tools) => {
      const status = await correct.handle(tools);
      return status === 503 ? 422 : status;
    },
  }),
  mistake('rejects a copy of a handled delivery with 409', 'N9 duplicate', {
    async handle({ claims, key, work }) {
      const state = await claims.claim(key);
      if (state !== 'acquired') return state === 'completed' ? 409 : 503;
      await work();
      await claims.complete(key);
      return 204;
    },
  }),
  mistake('tolerates no difference between the clocks', 'N9 skew', {
    verify: (request, environment) => verifyWith(request, environment, 5),
  }),
  mistake('compares with the real time', 'N9 always', {
    verify: (request, { secrets }) => verifyWith(request, { secrets, now: Date.now }),
  }),
  mistake('compares with the time of its start', 'N9 always', {
    verify: (request, { secrets }) => verifyWith(request, { secrets, now: () => startedAt }),
  }),
  mistake('drops the old secret at once', 'N8 new secret', {
    verify: (request, { secrets, now }) =>
      verifyWith(request, { secrets: () => secrets().slice(0, 1), now }),
  }),
  mistake('reads the secret when it starts', 'N8 new secret', {
    verify: (request, { secret, now }) => verifyWith(request, { secrets: () => [secret], now }),
  }),
  mistake('does not verify', 'N4 forged', {
    async verify(request) {
      const id = request.headers.get('webhook-id');
      const event = (await request.json()) as VerifiedDelivery['event'];
      return {
        event,
        id,
        sentAt: null,
        signature: '',
        secretIndex: 0,
        sequence: null,
        orderVersion: null,
        test: false,
      };
    },
  }),
  mistake('takes longer than 15 s', 'N7 slow', {
    async handle(tools) {
      await tools.environment.sleep(20_000);
      return correct.handle(tools);
    },
  }),
  ...[10, 60, 300].map((seconds) =>
    mistake(`refuses events that are ${seconds} s old`, 'N9 late', {
      async verify(request, environment) {
        const delivery = await verifyWith(request, environment);
        const age = environment.now() - Date.parse(delivery.event.createdAt);
        if (age > seconds * 1_000) throw new Error('The event is too old.');
        return delivery;
      },
    }),
  ),
  mistake('acknowledges a type that it does not handle', 'N1 never', {
    handle: (tools) =>
      tools.delivery.event.event === 'task.completed'
        ? Promise.resolve(204)
        : correct.handle(tools),
  }),
];
