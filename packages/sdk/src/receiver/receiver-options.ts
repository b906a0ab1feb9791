import type { VerifiedDelivery } from '../webhooks/verified-delivery';
import type { VerifyWebhookOptions } from '../webhooks/verify-webhook-options';
import type { EventOf, KnownWebhookEvent, WebhookEvent } from '../webhooks/webhook-event';
import type { WebhookVerificationError } from '../webhooks/webhook-verification-error';
import type { DedupeStore } from './dedupe-store';

/**
 * Acts on one event. A promise that it returns is awaited; what it throws makes the delivery come
 * again, unless `after` is set.
 */
export type EventHandler<Event> = (event: Event, delivery: VerifiedDelivery) => unknown;

/** A handler for each event kind that the receiver acts on. */
export type EventHandlers = {
  readonly [Kind in KnownWebhookEvent['event']]?: EventHandler<EventOf<Kind>> | undefined;
};

/** Told of an error in a handler or in the dedupe store, and of the delivery that met it. */
export type OnError = (error: unknown, event: WebhookEvent, delivery: VerifiedDelivery) => unknown;

/**
 * Where to put the work that goes on after the answer: Next's `after`, or a host's `waitUntil`. The
 * promise never rejects.
 */
export type After = (work: Promise<void>) => unknown;

/** What a receiver needs to know in any case. */
interface ReceiverSettings
  extends Omit<VerifyWebhookOptions, 'payload' | 'headers' | 'signature' | 'now'> {
  /** The clock that timestamps are measured against, read for each delivery. Now unless told. */
  now?: (() => Date | number) | undefined;
  /** What to do on which event. */
  on?: EventHandlers | undefined;
  /**
   * What to do on every event that `on` has no handler for: kinds that this version does not know,
   * and those that `on` leaves out. `'ignore'` answers them with 204. Without it they are answered
   * with 501, so that the service keeps them and tries again.
   */
  onUnknown?: EventHandler<WebhookEvent> | 'ignore' | undefined;
  /** Remembers what was handled, so that a delivery which comes again is not handled again. */
  dedupe?: DedupeStore | undefined;
  /**
   * Told of every delivery that was refused. Unless told, `BODY_PARSED` and `INVALID_CONFIGURATION`,
   * faults of this program, go to `console.error`, and the others to `console.warn` unless NODE_ENV
   * is production. A promise that it returns is awaited.
   */
  onRefused?: ((error: WebhookVerificationError) => unknown) | undefined;
}

/** A receiver that answers when the work is done. */
interface AnswersAfterwards {
  /** Left out: each delivery is handled first and answered then. */
  after?: undefined;
  /** Told when a handler or the dedupe store throws: `console.error` unless told. */
  onError?: OnError | undefined;
}

/** A receiver that answers before the work is done. */
interface AnswersFirst {
  /**
   * Answers 202 once a delivery is verified and claimed, and handles it afterwards. True keeps the
   * work going by itself, or by the `waitUntil` of what `.fetch` is passed; a function is handed it.
   * `.lambda` can't go on after its answer: there it has no effect.
   */
  after: true | After;
  /** Told when a handler or the dedupe store throws. Must be there: nobody sends the delivery again. */
  onError: OnError;
}

/** What `webhookReceiver` needs to know. */
export type WebhookReceiverOptions = ReceiverSettings & (AnswersAfterwards | AnswersFirst);
