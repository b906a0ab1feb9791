/**
 * Helpers for tests. For those of a receiver: signed deliveries of any event, invalid deliveries with common faults,
 * and unusual but valid ones. For those of a program that uses the client: a service in memory. It has no
 * dependencies and does not need Node.
 *
 * @example
 * import { exampleSecret, sampleEvent, signDelivery } from '@tradepost/sdk/testing';
 * const event = sampleEvent('order.created', { data: { quantity: 3 } });
 * const delivery = await signDelivery({ event, secret: exampleSecret });
 * const response = await receiver.fetch(delivery.toRequest('https://receiver.example/webhooks'));
 */

export { type DeliveryEdgeCase, deliveryEdgeCases, edgeCaseDelivery } from './edge-case-delivery';
export {
  type DeliveryFault,
  deliveryFaults,
  type InvalidDelivery,
  type InvalidDeliveryOptions,
  invalidDelivery,
} from './invalid-delivery';
export {
  type MockAccount,
  type MockAccountOverrides,
  type MockAccounts,
  type MockClientOptions,
  type MockDeliverOptions,
  type MockErrorResponse,
  type MockFailOptions,
  type MockFailure,
  type MockListing,
  type MockListingOverrides,
  type MockNotificationOverrides,
  type MockOperation,
  type MockOrderOverrides,
  type MockReceiver,
  type MockRequest,
  type MockTime,
  type MockTradepost,
  type MockTradepostOptions,
  mockTradepost,
} from './mock/index';
export { type SampleOverrides, sampleEvent } from './sample-event';
export {
  exampleSecret,
  type SignableEvent,
  type SignDeliveryOptions,
  type SignedDelivery,
  type SigningOptions,
  signDelivery,
} from './sign-delivery';
