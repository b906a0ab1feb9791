/**
 * Helpers for tests. For those of a receiver: signed deliveries of any event, invalid deliveries with common faults,
 * and unusual but valid ones; and a probe of receivers in any language. For those of a program that uses the client: a service in memory. It has no
 * dependencies; only the probe needs Node.
 *
 * @example
 * import { exampleSecret, sampleEvent, signDelivery } from '@tradepost/sdk/testing';
 * const event = sampleEvent('order.created', { data: { quantity: 3 } });
 * const delivery = await signDelivery({ event, secret: exampleSecret });
 * const response = await receiver.fetch(delivery.toRequest('https://receiver.example/webhooks'));
 */

export {
  type DeliveryEdgeCase,
  deliveryEdgeCases,
  type EdgeCaseOptions,
  edgeCaseDelivery,
} from './edge-case-delivery';
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
  type MockRateLimit,
  type MockReceiver,
  type MockRequest,
  type MockTime,
  type MockTradepost,
  type MockTradepostOptions,
  mockTradepost,
} from './mock/index';
export {
  type ProbeCaseResult,
  type ProbeCause,
  type ProbeDeclaration,
  type ProbeOptions,
  type ProbeReport,
  probeReceiver,
} from './probe/probe-receiver';
export { type SampleOverrides, sampleEvent } from './sample-event';
export {
  exampleSecret,
  type SignableEvent,
  type SignDeliveryOptions,
  type SignedDelivery,
  type SigningOptions,
  signDelivery,
} from './sign-delivery';
export { formatSimulation } from './simulation/format-simulation';
export type { SimulatedReceiver, SimulationEnvironment, Wrapped } from './simulation/instance';
export { type SimulationInvariant, simulationInvariants } from './simulation/judge';
export type { SimulationOptions } from './simulation/options';
export {
  type PlannedAttempt,
  type PlannedEvent,
  type SimulatedEventType,
  type SimulationFault,
  type SimulationPlan,
  simulationFaults,
} from './simulation/plan';
export {
  type SimulationCounterexample,
  type SimulationResult,
  simulateDeliveries,
} from './simulation/simulate-deliveries';
