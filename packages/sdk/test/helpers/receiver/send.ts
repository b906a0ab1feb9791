import type { WebhookReceiver } from '../../../src/receiver/webhook-receiver';
import {
  type SignableEvent,
  sampleEvent,
  exampleSecret as secret,
  signDelivery,
} from '../../../src/testing/index';
import { type HostResponse, readResponse } from './host';
import { now } from './limits';

/** An event for tests that need any event. */
export const anEvent = sampleEvent('order.status_changed');

/** An event whose type no version knows. */
export function anUnknownEvent(event = 'order.exploded'): SignableEvent {
  return { event, createdAt: '2026-11-21T09:30:00.000Z', data: {} };
}

/** A signed request; a test overrides the fields that matter to it. */
export async function aRequest(
  overrides: { event?: SignableEvent; id?: string; standard?: boolean } = {},
): Promise<Request> {
  const { event = anEvent, id = 'evt_1', standard = true } = overrides;
  const delivery = await signDelivery({ event, id, standard, secret, sentAt: now });
  return delivery.toRequest('https://receiver.example/webhooks');
}

/** Sends a signed delivery to a receiver and reads the response. */
export async function send(
  { fetch }: WebhookReceiver,
  overrides: Parameters<typeof aRequest>[0] = {},
): Promise<HostResponse> {
  return readResponse(await fetch(await aRequest(overrides)));
}
