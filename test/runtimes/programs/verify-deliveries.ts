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

/** The actual and the expected result of verifying a delivery: a code, or `accepted`. */
export type Verdicts = Record<string, { result: string; expected: string }>;

/**
 * Verifies each delivery that the SDK's testing entry creates, with what this runtime has: Node's crypto or
 * WebCrypto, and diagnosis if there is a `process`.
 */
export async function verifyDeliveries(): Promise<Verdicts> {
  const secret = exampleSecret;
  const verdicts: Verdicts = {};
  for (const edgeCase of deliveryEdgeCases) {
    const { body, headers } = await edgeCaseDelivery(edgeCase, { secret });
    const result = await getVerdict({ payload: body, headers, secret });
    verdicts[`unusual: ${edgeCase}`] = { result, expected: 'accepted' };
  }
  for (const fault of deliveryFaults) {
    const { body, headers, ...codes } = await invalidDelivery(fault, { secret });
    const result = await getVerdict({ payload: body, headers, secret });
    const expected = 'process' in globalThis ? codes.expectedCode : codes.productionCode;
    verdicts[`faulty: ${fault}`] = { result, expected };
  }
  return verdicts;
}

async function getVerdict(options: VerifyWebhookOptions): Promise<string> {
  try {
    await verifyWebhook(options);
    return 'accepted';
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.code : String(error);
  }
}

/** Returns the error of the synchronous check of an unsigned delivery. It differs without Node. */
export function verifySync(): string {
  try {
    return verifyWebhookSync({ payload: '{}', secret: exampleSecret }).event;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
