import {
  deliveryEdgeCases,
  deliveryFaults,
  edgeCaseDelivery,
  exampleSecret,
  invalidDelivery,
} from '@tradepost/sdk/testing';
import {
  type VerifyWebhookOptions,
  verifyWebhook,
  verifyWebhookSync,
  WebhookVerificationError,
} from '@tradepost/sdk/webhooks';

/** What verification says to a delivery, and what it should say: a code, or `accepted`. */
export type Verdicts = Record<string, { said: string; expected: string }>;

/**
 * Verifies a delivery of each kind that the SDK knows to make, with all that this runtime offers for it:
 * Node's crypto or WebCrypto, and diagnosis where there is a `process`.
 */
export async function verifyDeliveries(): Promise<Verdicts> {
  const secret = exampleSecret;
  const verdicts: Verdicts = {};
  for (const edgeCase of deliveryEdgeCases) {
    const { body, headers } = await edgeCaseDelivery(edgeCase, { secret });
    const said = await verdict({ payload: body, headers, secret });
    verdicts[`unusual: ${edgeCase}`] = { said, expected: 'accepted' };
  }
  for (const fault of deliveryFaults) {
    const { body, headers, ...codes } = await invalidDelivery(fault, { secret });
    const said = await verdict({ payload: body, headers, secret });
    const expected = 'process' in globalThis ? codes.expectedCode : codes.productionCode;
    verdicts[`faulty: ${fault}`] = { said, expected };
  }
  return verdicts;
}

async function verdict(options: VerifyWebhookOptions): Promise<string> {
  try {
    await verifyWebhook(options);
    return 'accepted';
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.code : String(error);
  }
}

/** What the check without a promise says to nothing at all: something else where Node is missing. */
export function verifyWithoutPromise(): string {
  try {
    return verifyWebhookSync({ payload: '{}', secret: exampleSecret }).event;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
