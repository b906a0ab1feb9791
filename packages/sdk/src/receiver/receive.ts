import { deliveryHeaderNames } from '@tradepost/contract/wire';
import { getErrorMessage } from '../error-message';
import { defaultMaxBytes, getHeader, listSecrets } from '../webhooks/checks';
import { tooLarge } from '../webhooks/explain-failure';
import type { DeliveryHeaders, VerifiedDelivery } from '../webhooks/options';
import { findSecretsMistake } from '../webhooks/secrets';
import { WebhookVerificationError } from '../webhooks/verification-error';
import { verifyDelivery } from '../webhooks/verify';
import type { IncomingRequest } from './delivery-handler';
import { createResponse, deliveryHandler, type ReceiverResponse } from './delivery-handler';
import { createFailureLog, ownFaults } from './failure-log';
import type {
  CurrentSecret,
  EventIssues,
  ReceivedDelivery,
  WebhookReceiverOptions,
} from './options';

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
    onVerificationError = createFailureLog(),
    now,
    validate,
    test,
    secret,
    secrets,
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
      const given =
        typeof secret === 'function'
          ? { secrets: [...(await callForSecrets(secret)), ...listSecrets({ secrets })] }
          : { secret, secrets };
      delivery = await verifyDelivery({
        ...verification,
        ...given,
        now: now?.(),
        payload,
        headers,
      });
      const issues = (await validate?.(delivery.event)) ?? [];
      if (issues.length > 0) throw invalidEvent(delivery, issues);
    } catch (error) {
      return respondToFailure(error, onVerificationError);
    }
    return handle({ ...delivery, headers: copyHeaders(headers) }, incoming);
  };
}

/** Less than the 15 s that the service waits, so that it gets a response, and forged requests do not pile up. */
const secretTimeoutSeconds = 10;

/** Returns the secrets that a function has now. Anyone could sign with an empty one, so they are checked. */
async function callForSecrets(
  getSecret: () => CurrentSecret | Promise<CurrentSecret>,
): Promise<string[]> {
  let current: CurrentSecret;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`it did not return within ${secretTimeoutSeconds} s`));
    timer = setTimeout(fail, secretTimeoutSeconds * 1_000);
  });
  try {
    current = await Promise.race([getSecret(), late]);
  } catch (cause) {
    throw new WebhookVerificationError(
      'SECRET_UNAVAILABLE',
      `The function secret failed (${getErrorMessage(cause)}), so the delivery was not verified. The service delivers it again: check where the function gets the secret.`,
      { cause },
    );
  } finally {
    clearTimeout(timer);
  }
  const secrets = listSecrets({ secrets: current });
  const mistake = findSecretsMistake(secrets);
  if (mistake === undefined) return secrets;
  throw new WebhookVerificationError(
    'INVALID_CONFIGURATION',
    `webhookReceiver: what the function secret returned is not valid: ${mistake}`,
  );
}

/**
 * Copies the headers of a request, by name in lower case. Of an object that has only `get`, as a `FetchRequest` may,
 * those that the service sends.
 */
function copyHeaders(headers: DeliveryHeaders): ReceivedDelivery['headers'] {
  // Without a prototype, so that a name such as `constructor` finds only a header.
  const copy: Record<string, string> = Object.create(null);
  const list = headers as Partial<Headers>;
  if (typeof list.forEach === 'function') {
    list.forEach((value, name) => {
      copy[name.toLowerCase()] = value;
    });
  } else {
    for (const name of typeof list.get === 'function' ? sentNames() : Object.keys(headers)) {
      const value = getHeader(headers, name.toLowerCase());
      if (value) copy[name.toLowerCase()] = value;
    }
  }
  return Object.freeze(copy);
}

/** Lists the headers that the service sends. */
function sentNames(): string[] {
  const others = ['content-type', 'user-agent', 'traceparent', 'tracestate'];
  return [...Object.values(deliveryHeaderNames), ...others];
}

/** Creates the error for a body that has, or declares, more than `limit` bytes. */
export function bodyTooLarge(limit: number): WebhookVerificationError {
  return new WebhookVerificationError('BODY_TOO_LARGE', tooLarge(limit));
}

/** Creates the error for a request whose body was read before the receiver. */
export function bodyParsed(fix: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'BODY_ALREADY_PARSED',
    `The body was already read, and no raw body is left. ${fix}`,
  );
}

/** How many issues of an event a message lists. */
const maxListedIssues = 3;

/** Creates the error for an event that `validate` rejected. */
function invalidEvent({ event }: VerifiedDelivery, issues: EventIssues): WebhookVerificationError {
  const listed = issues.slice(0, maxListedIssues).map(({ path, message }) => `${path} ${message}`);
  return new WebhookVerificationError(
    'INVALID_EVENT',
    `The signature is valid, but the event ${event.event.slice(0, 100)} is not: ${listed.join('; ')}. Check which version the service has.`,
  );
}

/** Returns the status for a failed verification. After a 500, the service retries the delivery. */
function getStatus(code: string): number {
  if (code === 'BODY_TOO_LARGE') return 413;
  return ownFaults.get(code) ?? 400;
}

/**
 * Reports a rejected delivery to the program and returns a response with the code only: the message is for
 * the owner of the receiver.
 */
async function respondToFailure(
  error: unknown,
  onVerificationError: NonNullable<WebhookReceiverOptions['onVerificationError']>,
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
  return createResponse(getStatus(error.code), error.code);
}
