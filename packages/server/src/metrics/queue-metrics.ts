import { Gauge, Registry } from 'prom-client';
import type { Clock } from '../clock';
import type { DeliveryStore, QueueStatus } from '../deliveries/delivery-store';
import type { Metrics } from './metrics';

const storePatience = 2_000;

/** The status of the queues, or null when the store does not tell it, or not in time. */
function readStatus(
  deliveries: Pick<DeliveryStore, 'queueStatus'>,
  clock: Clock,
): Promise<QueueStatus | null> {
  return new Promise((resolve) => {
    const callOff = clock.after(storePatience, () => resolve(null));
    const settle = (status: QueueStatus | null) => {
      callOff();
      resolve(status);
    };
    deliveries.queueStatus(clock.now()).then(settle, () => settle(null));
  });
}

/**
 * Adds gauges of the queues to a registry of metrics. They are read when they are asked for; while the
 * store cannot tell, they are left out, since any number would be a wrong one.
 */
export function addQueueGauges(
  registry: Registry,
  deliveries: Pick<DeliveryStore, 'queueStatus'>,
  clock: Clock,
): void {
  let reading: Promise<QueueStatus | null> | null = null;
  // All gauges of one answer show one state.
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
    'Deliveries that are pending, in the whole store.',
    ({ depth }) => depth,
  );
  add(
    'tradepost_deliveries_in_flight',
    'Deliveries that are in the hands of a worker, in the whole store.',
    ({ inFlight }) => inFlight,
  );
  add(
    'tradepost_delivery_queue_oldest_due_seconds',
    'For how long the oldest delivery that may be tried has been due; 0 when none waits.',
    ({ oldestDueAt }) =>
      oldestDueAt === null ? 0 : Math.max(0, clock.now() - oldestDueAt) / 1_000,
  );
}

/** Makes the metrics of the queues alone: for a process that makes no deliveries itself. */
export function createQueueMetrics(
  deliveries: Pick<DeliveryStore, 'queueStatus'>,
  clock: Clock,
): Metrics {
  const registry = new Registry();
  addQueueGauges(registry, deliveries, clock);
  return { read: () => registry.metrics() };
}
