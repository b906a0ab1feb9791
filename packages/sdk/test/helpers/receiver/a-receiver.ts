import { vi } from 'vitest';
import type { WebhookReceiverOptions } from '../../../src/receiver/options';
import { webhookReceiver } from '../../../src/receiver/webhook-receiver';
import { exampleSecret as secret } from '../../../src/testing/index';
import type { ReceivedDelivery, WebhookEvent } from '../../../src/webhooks/index';
import { maxBytes, now } from './limits';

/** A receiver that handles every known event type, with lists of what it handled and rejected. */
export function aReceiver(options: Partial<WebhookReceiverOptions> = {}) {
  const handled: WebhookEvent[] = [];
  const rejected: string[] = [];
  const errors: unknown[] = [];
  const handle = vi.fn(async (event: WebhookEvent, _delivery: ReceivedDelivery) => {
    handled.push(event);
  });
  const receiver = webhookReceiver({
    secret,
    maxBytes,
    now: () => now,
    on: {
      'order.created': handle,
      'order.status_changed': handle,
      'task.approval_requested': handle,
      'task.completed': handle,
      'listing.availability_low': handle,
    },
    onVerificationError: ({ code }) => rejected.push(code),
    onError: (error) => errors.push(error),
    ...options,
  } as WebhookReceiverOptions);
  return { receiver, handled, rejected, errors, handle };
}
