import { isDevelopment } from '../webhooks/is-development';
import { WebhookVerificationError } from '../webhooks/webhook-verification-error';
import { type Answer, answer } from './answer';
import type { WebhookReceiverOptions } from './receiver-options';

/** What was not believed is a 400, but for these; a 500 has the service send it again. */
const statuses: Readonly<Record<string, number>> = {
  BODY_TOO_LARGE: 413,
  // Faults of the receiver's own program: once they are mended the delivery is welcome.
  BODY_PARSED: 500,
  INVALID_CONFIGURATION: 500,
};

/**
 * Tells the program of a delivery that was refused and answers with the code alone: the message is
 * for the receiver's eyes.
 */
export async function answerRefusal(
  error: unknown,
  onRefused: WebhookReceiverOptions['onRefused'] = logRefusal,
): Promise<Answer> {
  if (!(error instanceof WebhookVerificationError)) {
    console.error(error);
    return answer(500, 'RECEIVER_FAILED');
  }
  try {
    await onRefused(error);
  } catch (another) {
    console.error(another);
  }
  return answer(statuses[error.code] ?? 400, error.code);
}

function logRefusal({ code, message }: WebhookVerificationError): void {
  const text = `Delivery refused, ${code}: ${message}`;
  if (statuses[code] === 500) console.error(text);
  else if (isDevelopment()) console.warn(text);
}
