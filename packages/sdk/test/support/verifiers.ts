import {
  type VerifyWebhookOptions,
  verifyWebhook,
  verifyWebhookSync,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../src/webhooks/index';
import { sentAt } from './a-delivery';

type Verify = (options: VerifyWebhookOptions) => Promise<WebhookEvent>;

/** Both verifiers in one form, for `describe.each`: what one promises, the other does too. */
export const verifiers: [name: string, verify: Verify][] = [
  ['verifyWebhook', (options) => verifyWebhook({ now: sentAt, ...options })],
  ['verifyWebhookSync', async (options) => verifyWebhookSync({ now: sentAt, ...options })],
];

/** The code that a delivery is refused with; `'accepted'` when it is not. */
export async function verdict(verification: Promise<WebhookEvent>): Promise<string> {
  try {
    await verification;
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}
