import { type Clock, createIdGenerator, systemClock } from '@tradepost/domain/kernel/context';
import { defaultDisableAfterDays } from '@tradepost/domain/webhooks/disabling';
import type { WebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import type { Logger } from 'pino';
import { createSender } from '../engine/attempt/send';
import { DeliveryWorker } from '../engine/delivery-worker';
import type { EngineMetrics } from '../metrics/engine-metrics';
import { Housekeeper } from '../retention/housekeeper';
import { type Retention, resolveRetention } from '../retention/retention';
import type { ConnectionStatus, Store } from '../stores/store';
import type { Tracer } from '../tracing/tracer';
import type { SocketBudget } from './socket-budget';

/** Options of the delivery engine. */
export interface EngineOptions {
  store: Store;
  log: Logger;
  /** Which webhook URLs deliveries may go to. */
  webhookPolicy: WebhookPolicy;
  /**
   * How many days data is kept.
   *
   * @default deliveries 30, events 30, read notifications 90, unread ones 180 or as long as read ones
   */
  retention?: Partial<Retention>;
  /**
   * After how many days of failures alone an endpoint is disabled; 0 for never.
   * @default 3
   */
  disableAfterDays?: number | undefined;
  /** The system clock by default. */
  clock?: Clock;
  /**
   * Returns numbers from 0 to below 1 for the jitter of retries.
   * @default Math.random
   */
  random?: () => number;
  /**
   * How often to poll for deliveries that other processes queued, in milliseconds.
   * @default 1000
   */
  pollIntervalMs?: number | undefined;
  /** How many sockets deliveries may use. 2,000 attempts in flight and 512 idle connections by default. */
  sockets?: Pick<SocketBudget, 'attempts' | 'idle'> | undefined;
  /** Collects metrics. None by default. */
  metrics?: EngineMetrics | undefined;
  /** Traces attempts. None by default. */
  tracer?: Tracer | undefined;
}

/** Makes the deliveries and removes old data. */
export interface Engine {
  /** Polls for due deliveries at once. Call it when another thread queued some. */
  wake(): void;
  /** Returns whether it polls for deliveries. */
  isAlive(): Promise<boolean>;
  /** For how long the store has kept it from its work, in milliseconds; 0 if it does not. */
  getBlockedMs(): number;
  /** Returns the metrics in the text format of Prometheus; empty without metrics or if they are unavailable. */
  readMetrics(): Promise<string>;
  /** Returns how it uses its connections to a database server; null if it has none or its thread does not respond. */
  readConnectionStatus(): Promise<ConnectionStatus | null>;
  /** Leases nothing more, and waits for the attempts in flight, up to `timeoutMs`. Does not close the store. */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Starts the delivery engine. It starts with the deliveries that an earlier process left in the queues.
 *
 * @throws RangeError if unread notifications would be kept shorter than read ones.
 */
export function startEngine(options: EngineOptions): Engine {
  const {
    store,
    log,
    webhookPolicy,
    metrics,
    tracer,
    clock = systemClock,
    random = Math.random,
  } = options;
  const { accounts, deliveries, retention } = store;
  const retentionDays = resolveRetention(options.retention);
  const sender = createSender(webhookPolicy, clock, { maxIdle: options.sockets?.idle });
  const worker = new DeliveryWorker({
    deliveries,
    sender: tracer ? tracer.traceSender(sender) : sender,
    clock,
    log,
    random,
    pollIntervalMs: options.pollIntervalMs,
    maxAttempts: options.sockets?.attempts,
    ...(metrics && { onAttempt: metrics.onAttempt, onExpired: () => metrics.onExpired(1) }),
  });
  const housekeeper = new Housekeeper({
    accounts,
    deliveries,
    retention,
    retentionDays,
    webhooks: store.webhooks,
    newId: createIdGenerator(),
    disableAfterDays: options.disableAfterDays ?? defaultDisableAfterDays,
    clock,
    log,
    ...(metrics && { onFailed: metrics.onExpired, onDisabled: metrics.onDisabled }),
  });
  // A request that queues a delivery would otherwise be the context of whatever the worker finds due.
  const wake = tracer ? tracer.detach(worker.wake) : worker.wake;
  store.onDeliveriesQueued(wake);
  wake();
  housekeeper.start();
  return {
    wake,
    isAlive: async () => worker.isPolling,
    getBlockedMs: () => worker.blockedMs,
    readMetrics: async () => metrics?.read() ?? '',
    readConnectionStatus: async () => store.getConnectionStatus?.() ?? null,
    async stop(timeoutMs) {
      await Promise.all([worker.stop(timeoutMs), housekeeper.stop()]);
    },
  };
}
