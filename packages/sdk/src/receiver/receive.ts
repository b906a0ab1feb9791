import { defaultMaxBytes } from '../webhooks/checks';
import { isDevelopment, tooLarge } from '../webhooks/explain';
import type { VerifiedDelivery } from '../webhooks/options';
import { WebhookVerificationError } from '../webhooks/verification-error';
import { verifyDelivery } from '../webhooks/verify';
import type { IncomingRequest } from './delivery-handler';
import { createResponse, deliveryHandler, type ReceiverResponse } from './delivery-handler';
import type { WebhookReceiverOptions } from './options';

/** Receives a request and returns the response. The promise never rejects. */
export type Receive = (incoming: IncomingRequest) => Promise<ReceiverResponse>;

/** Creates the part of a receiver that all adapters share. */
export function createReceive(options: WebhookReceiverOptions): Receive {
  const {
    on,
    onUnhandled,
    dedupe,
    background,
    onError,
    onVerificationError,
    now,
    ...verification
  } = options;
  const handle = deliveryHandler(options);
  const { maxBytes = defaultMaxBytes } = verification;
  // An invalid limit must not mean "no limit"; verification rejects it after reading.
  const limit = maxBytes > 0 ? maxBytes : defaultMaxBytes;

  return async (incoming) => {
    const { method, headers } = incoming;
    if (method !== 'POST') {
      return createResponse(405, 'METHOD_NOT_ALLOWED: deliveries are POST requests', {
        Allow: 'POST',
      });
    }
    let delivery: VerifiedDelivery;
    try {
      const body = await incoming.readBody(limit);
      // The sender is gone and does not read this response.
      if (body === null) return createResponse(400, 'BODY_INCOMPLETE');
      // A host may have decoded the body to text, but the limit is in bytes.
      const payload = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      delivery = await verifyDelivery({ ...verification, now: now?.(), payload, headers });
    } catch (error) {
      return respondToFailure(error, onVerificationError);
    }
    return handle(delivery, incoming);
  };
}

/** Creates the error for a body that has, or declares, more than `limit` bytes. */
export function bodyTooLarge(limit: number): WebhookVerificationError {
  return new WebhookVerificationError('BODY_TOO_LARGE', tooLarge(limit));
}

/** Creates the error for a request whose body was read before the receiver. */
export function bodyParsed(fix: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'BODY_ALREADY_PARSED',
    `The body was already read, and no raw body is left: ${fix}`,
  );
}

/** The statuses of failures that are not a 400. After a 500, the service retries the delivery. */
const statuses: Readonly<Record<string, number>> = {
  BODY_TOO_LARGE: 413,
  // Mistakes of the receiver's own program: once they are fixed, a retry succeeds.
  BODY_ALREADY_PARSED: 500,
  INVALID_CONFIGURATION: 500,
};

/**
 * Reports a rejected delivery to the program and returns a response with the code only: the message is for
 * the owner of the receiver.
 */
async function respondToFailure(
  error: unknown,
  onVerificationError: WebhookReceiverOptions['onVerificationError'] = logFailure,
): Promise<ReceiverResponse> {
  if (!(error instanceof WebhookVerificationError)) {
    console.error(error);
    return createResponse(500, 'RECEIVER_FAILED');
  }
  try {
    await onVerificationError(error);
  } catch (another) {
    console.error(another);
  }
  return createResponse(statuses[error.code] ?? 400, error.code);
}

function logFailure({ code, message }: WebhookVerificationError): void {
  const text = `Delivery rejected, ${code}: ${message}`;
  if (statuses[code] === 500) console.error(text);
  else if (isDevelopment()) console.warn(text);
}
