import { Registry } from 'prom-client';
import type { Clock } from '../clock';
import type { DeliveryStore } from '../deliveries/delivery-store';
import type { AttemptListener } from '../deliveries/delivery-worker';
import { DeliveryMetrics } from './delivery-metrics';
import type { Metrics } from './metrics';
import { addQueueGauges } from './queue-metrics';

/** The numbers of a delivery engine, and what it has to tell for them. */
export interface EngineMetrics extends Metrics {
  onAttempt: AttemptListener;
  /** Is told how many deliveries failed without another attempt. */
  onGivenUp(count: number): void;
}

/** Makes the metrics of a delivery engine and of the queues that it works on. */
export function createEngineMetrics(
  deliveries: Pick<DeliveryStore, 'queueStatus'>,
  clock: Clock,
): EngineMetrics {
  const registry = new Registry();
  const counted = new DeliveryMetrics(registry);
  addQueueGauges(registry, deliveries, clock);
  return {
    onAttempt: (delivery, attempt, outcome) => counted.countAttempt(delivery, attempt, outcome),
    onGivenUp: (count) => counted.countGivenUp(count),
    read: () => registry.metrics(),
  };
}
