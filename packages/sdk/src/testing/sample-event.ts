import { sampleData } from '@tradepost/contract/wire';
import type { EventOf, KnownWebhookEvent } from '@tradepost/sdk/webhooks';
import { listOverrides, type Overrides } from './overrides';

type EventType = KnownWebhookEvent['event'];

/** Fields of a sample to replace. */
export interface SampleOverrides<Type extends EventType> {
  /** When the event happened: ISO 8601, UTC. */
  createdAt?: string | undefined;
  /** Fields of `data`. Fields that are left out keep the values of the sample. */
  data?: Overrides<EventOf<Type>['data']> | undefined;
}

const samples: { readonly [Type in EventType]: EventOf<Type>['data'] } = sampleData({
  agentId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GA',
  buyerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB',
  listingId: 'lst_01KAJ8Q0V7T3M5X9R2C4D6F8GC',
  orderId: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GD',
  sellerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GE',
  taskId: 'tsk_01KAJ8Q0V7T3M5X9R2C4D6F8GF',
  webhookId: 'whk_01KAJ8Q0V7T3M5X9R2C4D6F8GG',
});

/**
 * Creates a complete event of one type with example data, the same at every call. Its fields are in the
 * order of the service.
 */
export function sampleEvent<Type extends EventType>(
  type: Type,
  { createdAt = '2026-11-21T09:30:00.000Z', data }: SampleOverrides<Type> = {},
): EventOf<Type> {
  const sample = { event: type, createdAt, data: { ...samples[type], ...listOverrides(data) } };
  // TypeScript cannot infer that type and data belong together.
  return sample as unknown as EventOf<Type>;
}
