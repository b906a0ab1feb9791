/**
 * For the tests of a receiver: signed deliveries of any event, the usual faulty ones, and unusual
 * ones that are right. No dependencies, and nothing of Node.
 *
 * @example
 * import { exampleSecret, sampleEvent, signDelivery } from '@tradepost/sdk/testing';
 * const event = sampleEvent('order.created', { data: { quantity: 3 } });
 * const delivery = await signDelivery({ event, secret: exampleSecret });
 * const response = await receiver.fetch(delivery.toRequest('https://receiver.example/webhooks'));
 */
export { exampleSecret } from './example-secret';
export {
  type DeliveryFault,
  deliveryFaults,
  type FaultyDelivery,
  type FaultyDeliveryOptions,
  faultyDelivery,
} from './faulty-delivery';
export { type SampleOverrides, sampleEvent } from './sample-event';
export {
  type SignableEvent,
  type SignDeliveryOptions,
  type SigningOptions,
  signDelivery,
} from './sign-delivery';
export type { SignedDelivery } from './signed-delivery';
export { type DeliveryOddity, deliveryOddities, unusualDelivery } from './unusual-delivery';
