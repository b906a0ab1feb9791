import { vi } from 'vitest';
import {
  type VerifyWebhookSyncOptions,
  verifyWebhook,
  verifyWebhookSync,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../src/webhooks/index';
import { sentAt } from './a-delivery';

type Verify = (options: VerifyWebhookSyncOptions) => Promise<WebhookEvent>;

/** Verifies as a runtime does that has WebCrypto alone. */
export async function verifyOnTheWeb(options: VerifyWebhookSyncOptions): Promise<WebhookEvent> {
  const getBuiltinModule = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  try {
    return await verifyWebhook(options);
  } finally {
    getBuiltinModule.mockRestore();
  }
}

const lenient = { now: sentAt, diagnose: false };

/**
 * All verifiers in one form, for `describe.each`: what one promises, the others do too. They do not
 * look for the cause of a mismatch unless a test asks for it.
 */
export const verifiers: [name: string, verify: Verify][] = [
  ['verifyWebhook', (options) => verifyWebhook({ ...lenient, ...options })],
  ['verifyWebhook with WebCrypto', (options) => verifyOnTheWeb({ ...lenient, ...options })],
  ['verifyWebhookSync', async (options) => verifyWebhookSync({ ...lenient, ...options })],
];

/** The code that a delivery is refused with; `'accepted'` when it is not. */
export async function verdict(verification: Promise<WebhookEvent>): Promise<string> {
  const error = await verification.then(
    () => null,
    (caught) => caught,
  );
  if (error === null) return 'accepted';
  if (error instanceof WebhookVerificationError) return error.code;
  throw error;
}
