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

/** Verifies as in a runtime that has only WebCrypto. */
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
 * All verifiers with one signature, for `describe.each`: each must behave like the others. They do not
 * diagnose a mismatch unless a test enables it.
 */
export const verifiers: [name: string, verify: Verify][] = [
  ['verifyWebhook', (options) => verifyWebhook({ ...lenient, ...options })],
  ['verifyWebhook with WebCrypto', (options) => verifyOnTheWeb({ ...lenient, ...options })],
  ['verifyWebhookSync', async (options) => verifyWebhookSync({ ...lenient, ...options })],
];

/** Returns the code with which a delivery is rejected, or `'accepted'`. */
export async function verdict(verification: Promise<WebhookEvent>): Promise<string> {
  const error = await verification.then(
    () => null,
    (caught) => caught,
  );
  if (error === null) return 'accepted';
  if (error instanceof WebhookVerificationError) return error.code;
  throw error;
}
