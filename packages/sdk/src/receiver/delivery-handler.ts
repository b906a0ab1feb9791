import type { KnownWebhookEvent, WebhookEvent } from '../webhooks/event';
import type { DeliveryHeaders } from '../webhooks/options';
import type { EventHandler, ReceivedDelivery, WebhookReceiverOptions } from './options';

/** The response of a receiver, before an adapter converts it for its host. */
export interface ReceiverResponse {
  /** The HTTP status. */
  status: number;
  /** Headers in their documented spelling. */
  headers: Record<string, string>;
  /** A short text for the sender's log; empty on a 2xx, except for a test event. */
  body: string;
}

/** Creates a response. A body is sent as plain text in UTF-8. */
export function createResponse(
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = {},
): ReceiverResponse {
  const type = body ? { 'Content-Type': 'text/plain; charset=utf-8' } : {};
  return { status, headers: { ...type, ...headers }, body };
}

/** For the sender of a test event, who sees the response with the attempt. */
const testAcknowledged =
  "TEST: this receiver verified the test event and passed it to no handler. With test: 'deliver' it does.";

/** Seconds after which the service may retry a delivery that is being handled. */
const inProgressRetryAfter = '10';

/**
 * Creates the function that processes a verified delivery: it claims the delivery, runs the handler and
 * returns the response. The promise never rejects.
 */
export function deliveryHandler({
  on,
  onUnhandled,
  dedupe,
  background,
  onError = logError,
  test = 'acknowledge',
}: WebhookReceiverOptions) {
  return async (
    delivery: ReceivedDelivery,
    { isOpen, waitUntil }: Pick<IncomingRequest, 'isOpen' | 'waitUntil'>,
  ): Promise<ReceiverResponse> => {
    const { event } = delivery;
    const type = event.event;
    if (delivery.test && test === 'acknowledge') return createResponse(200, testAcknowledged);
    const handler =
      (on && Object.hasOwn(on, type) && on[type as KnownWebhookEvent['event']]) || onUnhandled;
    if (handler === 'ignore') return createResponse(204);
    if (!handler) {
      return createResponse(
        501,
        `NOT_HANDLED: this receiver has no handler for ${type.slice(0, 100)}: add it to "on", or set "onUnhandled"`,
      );
    }

    /** Runs a step and reports its error. Returns whether it succeeded. */
    const attempt = async (step: () => unknown): Promise<boolean> => {
      try {
        await step();
        return true;
      } catch (error) {
        try {
          await onError(error, event, delivery);
        } catch (another) {
          console.error(another);
        }
        return false;
      }
    };

    const key = delivery.id ?? delivery.signature;
    if (dedupe) {
      let state: unknown;
      const succeeded = await attempt(async () => {
        state = await dedupe.claim(key);
        if (state !== 'acquired' && state !== 'completed' && state !== 'in_progress') {
          throw new TypeError(
            `dedupe.claim must return acquired, completed or in_progress (got ${state})`,
          );
        }
      });
      if (!succeeded) return createResponse(500, 'DEDUPE_FAILED');
      if (state === 'completed') return createResponse(204);
      if (state === 'in_progress')
        return createResponse(503, 'BUSY', { 'Retry-After': inProgressRetryAfter });
    }

    const run = async (): Promise<boolean> => {
      const succeeded = await attempt(() =>
        (handler as EventHandler<WebhookEvent>)(event, delivery),
      );
      // A handled delivery counts as handled, even if the store cannot record it.
      await attempt(() => (succeeded ? dedupe?.complete(key) : dedupe?.release(key)));
      return succeeded;
    };

    let handled: boolean;
    if (background && isOpen) {
      let accepted = false;
      const work = nextTurn().then(async () => {
        if (accepted) await run();
      });
      let pending: unknown;
      // A host that does not accept the work may stop at any time: then the service must retry.
      await attempt(() => {
        pending = background === true ? waitUntil?.(work) : background(work);
        accepted = true;
      });
      // Not awaited, because it may take as long as the work.
      void attempt(() => pending);
      if (accepted) return createResponse(202);
      await attempt(() => dedupe?.release(key));
      handled = false;
    } else {
      handled = await run();
    }
    return handled ? createResponse(204) : createResponse(500, 'HANDLER_FAILED');
  };
}

/** Waits a turn, so that the response is sent before work that may block this thread. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

function logError(error: unknown, { event }: WebhookEvent, { id }: ReceivedDelivery): void {
  console.error(`Delivery ${id ?? ''} of ${event} was not handled:`, error);
}

/** A raw body: bytes, or the text that a host decoded them to. */
export type RawBody = string | Uint8Array;

/** A request in the form that all adapters convert it to. */
export interface IncomingRequest {
  /** The HTTP method, in upper case. */
  method: unknown;
  /** The headers of the request, with names in any case. */
  headers: DeliveryHeaders;
  /**
   * Reads the raw body, and stops as soon as it is longer than `limit` bytes. Null when the sender closed the
   * connection before the end.
   *
   * @throws {WebhookVerificationError} `BODY_TOO_LARGE`, or `BODY_ALREADY_PARSED` when no raw body is left.
   */
  readBody(limit: number): RawBody | Promise<RawBody | null>;
  /** Whether the host allows work after the response. */
  isOpen: boolean;
  /** Keeps the host alive until the work is done, if the host requires it. */
  waitUntil?: ((work: Promise<void>) => unknown) | undefined;
}
