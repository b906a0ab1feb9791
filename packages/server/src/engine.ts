import type { Logger } from 'pino';
import { type Clock, systemClock } from './clock';
import { DeliveryWorker } from './deliveries/delivery-worker';
import { createSender } from './deliveries/send';
import type { EngineMetrics } from './metrics/engine-metrics';
import { Housekeeper } from './retention/housekeeper';
import { type Retention, resolveRetention } from './retention/retention';
import type { SocketBudget } from './socket-budget';
import type { Store } from './store';
import type { WebhookPolicy } from './webhooks/webhook-policy';

/** How the delivery engine is to run. */
export interface EngineOptions {
  store: Store;
  log: Logger;
  /** Which endpoints deliveries may go to. */
  webhookPolicy: WebhookPolicy;
  /**
   * For how many days things are kept.
   *
   * @default deliveries 30, events 30, read notifications 90, unread ones 180 or as long as read ones
   */
  retention?: Partial<Retention>;
  /** The machine's clock unless told. */
  clock?: Clock;
  /** Numbers from 0 to below 1 for the jitter of retries; `Math.random` unless told. */
  random?: () => number;
  /** Milliseconds after which it looks for deliveries that other processes queued; 1 s unless told. */
  lookEvery?: number | undefined;
  /** How many sockets deliveries may have open: 2,000 attempts in flight and 512 idle connections by default. */
  sockets?: Pick<SocketBudget, 'attempts' | 'idle'> | undefined;
  /** What is to count; nothing unless told. */
  metrics?: EngineMetrics | undefined;
}

/** What makes the deliveries, and keeps what is finished from piling up. */
export interface Engine {
  /** Looks for due deliveries at once: call it when some were queued elsewhere. */
  wake(): void;
  /** What it counts, in the text format of Prometheus; blank when it counts nothing, or cannot tell. */
  readMetrics(): Promise<string>;
  /** Takes no more work, and waits for the attempts under way, `patience` milliseconds at most. Leaves the store open. */
  stop(patience: number): Promise<void>;
}

/**
 * Starts the delivery engine on a store. It begins with what an earlier run left in the queues.
 *
 * @throws RangeError when unread notifications would be kept for a shorter time than read ones.
 */
export function startEngine(options: EngineOptions): Engine {
  const { store, log, webhookPolicy, metrics, clock = systemClock, random = Math.random } = options;
  const { deliveries, retention } = store;
  const keep = resolveRetention(options.retention);
  const sender = createSender(webhookPolicy, clock, { maxIdle: options.sockets?.idle });
  const worker = new DeliveryWorker({
    deliveries,
    sender,
    clock,
    log,
    random,
    lookEvery: options.lookEvery,
    maxAttempts: options.sockets?.attempts,
    ...(metrics && { onAttempt: metrics.onAttempt, onGivenUp: () => metrics.onGivenUp(1) }),
  });
  const housekeeper = new Housekeeper({
    deliveries,
    retention,
    keep,
    clock,
    log,
    ...(metrics && { onFailed: metrics.onGivenUp }),
  });
  store.onDeliveriesQueued(() => worker.wake());
  worker.wake();
  housekeeper.start();
  return {
    wake: () => worker.wake(),
    readMetrics: async () => metrics?.read() ?? '',
    async stop(patience) {
      await Promise.all([worker.stop(patience), housekeeper.stop()]);
    },
  };
}
