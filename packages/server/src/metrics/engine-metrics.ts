import { attemptErrors } from '@tradepost/contract';
import {
  type Attempt,
  type AttemptResult,
  isAcknowledged,
  type LeasedDelivery,
} from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore, QueueStatus } from '@tradepost/domain/deliveries/delivery-store';
import type { Clock } from '@tradepost/domain/kernel/context';
import { latencyLimits } from '@tradepost/domain/webhooks/stats-counts';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AttemptListener } from '../engine/delivery-worker';
import type { Metrics } from './metrics-server';

/** The metrics of a delivery engine. */
export interface EngineMetrics extends Metrics {
  onAttempt: AttemptListener;
  /** Called with the number of deliveries that failed without another attempt. */
  onExpired(count: number): void;
  /** Called when a webhook was disabled. */
  onDisabled(): void;
}

/** Creates the metrics of a delivery engine and of its queues. */
export function createEngineMetrics(
  deliveries: Pick<DeliveryStore, 'queueStatus'>,
  clock: Clock,
): EngineMetrics {
  const registry = new Registry();
  const metrics = new DeliveryMetrics(registry);
  addQueueGauges(registry, deliveries, clock);
  return {
    onAttempt: (delivery, attempt, result) => metrics.countAttempt(delivery, attempt, result),
    onExpired: (count) => metrics.countExpired(count),
    onDisabled: () => metrics.countDisabled(),
    read: () => registry.metrics(),
  };
}

/** Returns the class of a response status, or `none` without a response. */
function statusClassLabel(status: number | null): string {
  if (status === null) return 'none';
  return status >= 200 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

/** Returns the name of an error without its detail, which can be anything. */
function errorLabel(error: string | null): string {
  if (error === null) return 'none';
  const [name = ''] = error.split(' ', 1);
  return Object.hasOwn(attemptErrors, name) ? name : 'unexpected';
}

function outcomeLabel(attempt: Attempt): 'acknowledged' | 'rejected' | 'error' {
  if (isAcknowledged(attempt)) return 'acknowledged';
  return attempt.status === null ? 'error' : 'rejected';
}

/** Returns the labels of an attempt. Each has a small fixed set of values, whatever a receiver sends. */
export function attemptLabels(attempt: Attempt): {
  outcome: 'acknowledged' | 'rejected' | 'error';
  status_class: string;
  error: string;
} {
  return {
    outcome: outcomeLabel(attempt),
    status_class: statusClassLabel(attempt.status),
    error: errorLabel(attempt.error),
  };
}

/** Counts results of deliveries and attempts. */
export class DeliveryMetrics {
  readonly #ended: Counter<'outcome'>;
  readonly #attempts: Counter<'outcome' | 'status_class' | 'error'>;
  readonly #duration: Histogram;
  readonly #lag: Histogram;
  readonly #disabled: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#ended = new Counter({
      name: 'tradepost_deliveries_total',
      help: 'Finished deliveries, by outcome: delivered or failed.',
      labelNames: ['outcome'],
      registers,
    });
    this.#attempts = new Counter({
      name: 'tradepost_delivery_attempts_total',
      help: 'Delivery attempts, by outcome, response status class and error.',
      labelNames: ['outcome', 'status_class', 'error'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'tradepost_delivery_attempt_duration_seconds',
      help: 'Duration of attempts, regardless of their outcome.',
      buckets: Object.values(latencyLimits).map((limit) => limit / 1_000),
      registers,
    });
    this.#lag = new Histogram({
      name: 'tradepost_delivery_lag_seconds',
      help: 'Time from the event to the start of the first delivery attempt.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 86_400],
      registers,
    });
    this.#disabled = new Counter({
      name: 'tradepost_webhooks_disabled_total',
      help: 'Webhooks that were disabled because their endpoint kept failing.',
      registers,
    });
    // A series that starts with its first event has no increase to alert on.
    for (const outcome of ['delivered', 'failed']) this.#ended.inc({ outcome }, 0);
  }

  /** Counts a completed attempt. */
  countAttempt(delivery: LeasedDelivery, attempt: Attempt, { state }: AttemptResult): void {
    this.#attempts.inc(attemptLabels(attempt));
    this.#duration.observe(attempt.durationMs / 1_000);
    if (delivery.attemptCount === 0) {
      // A clock that is set back must not cause a negative lag.
      this.#lag.observe(Math.max(0, attempt.startedAt - delivery.createdAt) / 1_000);
    }
    if (state !== 'pending') this.#ended.inc({ outcome: state });
  }

  /** Counts deliveries that failed without another attempt. */
  countExpired(count: number): void {
    this.#ended.inc({ outcome: 'failed' }, count);
  }

  /** Counts a webhook that was disabled. */
  countDisabled(): void {
    this.#disabled.inc();
  }
}

const storeTimeoutMs = 2_000;

/** Returns the state of the queues, or null if the store fails or times out. */
function readStatus(
  deliveries: Pick<DeliveryStore, 'queueStatus'>,
  clock: Clock,
): Promise<QueueStatus | null> {
  return new Promise((resolve) => {
    const cancelTimeout = clock.schedule(storeTimeoutMs, () => resolve(null));
    const settle = (status: QueueStatus | null) => {
      cancelTimeout();
      resolve(status);
    };
    deliveries.queueStatus(clock.now()).then(settle, () => settle(null));
  });
}

/**
 * Adds gauges of the queues to a registry. They are collected on each scrape. If the store fails, they are left out, because any
 * value would be wrong.
 */
export function addQueueGauges(
  registry: Registry,
  deliveries: Pick<DeliveryStore, 'queueStatus'>,
  clock: Clock,
): void {
  let reading: Promise<QueueStatus | null> | null = null;
  // All gauges of one scrape show the same state.
  const readOnce = () => {
    reading ??= readStatus(deliveries, clock).finally(() => {
      reading = null;
    });
    return reading;
  };
  const add = (name: string, help: string, pick: (status: QueueStatus) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const status = await readOnce();
        if (status === null) this.remove();
        else this.set(pick(status));
      },
    });

  add(
    'tradepost_delivery_queue_depth',
    'Pending deliveries in the whole store.',
    ({ depth }) => depth,
  );
  add(
    'tradepost_deliveries_in_flight',
    'Leased deliveries in the whole store.',
    ({ inFlight }) => inFlight,
  );
  add(
    'tradepost_delivery_queue_oldest_due_seconds',
    'How long the oldest due delivery that may be attempted has been due; 0 if there is none.',
    ({ oldestDueAt }) =>
      oldestDueAt === null ? 0 : Math.max(0, clock.now() - oldestDueAt) / 1_000,
  );
}

/** Creates the metrics of the queues alone, for a process without a delivery engine. */
export function createQueueMetrics(
  deliveries: Pick<DeliveryStore, 'queueStatus'>,
  clock: Clock,
): Metrics {
  const registry = new Registry();
  addQueueGauges(registry, deliveries, clock);
  return { read: () => registry.metrics() };
}
