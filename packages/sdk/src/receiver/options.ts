import type {
  ListingAvailabilityLowEvent,
  OrderCreatedEvent,
  OrderStatusChangedEvent,
  TaskApprovalRequestedEvent,
  TaskCompletedEvent,
  WebhookDisabledEvent,
  WebhookEvent,
} from '../webhooks/event';
import type { VerificationOptions, VerifiedDelivery } from '../webhooks/options';
import type { WebhookVerificationError } from '../webhooks/verification-error';
import type { DedupeStore } from './dedupe-store';

/** A verified delivery as a handler gets it, with the headers of its request. */
export interface ReceivedDelivery extends VerifiedDelivery {
  /**
   * The headers of the request, by name in lower case; the values of a repeated header are joined with commas. They
   * are as received: of the others than `webhook-id`, `webhook-timestamp` and the signatures, such as
   * `traceparent`, nothing proves that the service sent them.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Handles one event. A returned promise is awaited. If it throws, the service retries the delivery, unless
 * `background` is set.
 */
export type EventHandler<Event> = (event: Event, delivery: ReceivedDelivery) => unknown;

/** The handlers of a receiver, by event type. */
export interface EventHandlers {
  /** A new order was created. `data` has its parties, its listing, its quantity and its status. */
  readonly 'order.created'?: EventHandler<OrderCreatedEvent> | undefined;
  /** An order's status changed. `data` has the order, its status before and after, and the reason if one was given. */
  readonly 'order.status_changed'?: EventHandler<OrderStatusChangedEvent> | undefined;
  /** A task requires the approval of a trade agent. `data` has the task, its order and its agent. */
  readonly 'task.approval_requested'?: EventHandler<TaskApprovalRequestedEvent> | undefined;
  /** A task was marked complete. `data` has the task, its order and its agent. */
  readonly 'task.completed'?: EventHandler<TaskCompletedEvent> | undefined;
  /** A listing's available quantity dropped below its threshold. `data` has the listing and both numbers. */
  readonly 'listing.availability_low'?: EventHandler<ListingAvailabilityLowEvent> | undefined;
  /** Extension: the service disabled another webhook of the account. `data` has the webhook, since when and why it failed. */
  readonly 'webhook.disabled'?: EventHandler<WebhookDisabledEvent> | undefined;
}

/** Receives an error of a handler or of the dedupe store, with the delivery that caused it. */
export type OnError = (error: unknown, event: WebhookEvent, delivery: ReceivedDelivery) => unknown;

/**
 * Keeps the host alive until work after the response is done, such as Next's `after` or a host's
 * `waitUntil`. The promise never rejects.
 */
export type WaitUntil = (work: Promise<void>) => unknown;

/** What is wrong with the content of an event: where, and why. Empty when it is valid. */
export type EventIssues = readonly { readonly path: string; readonly message: string }[];

/** What a function of a receiver returns: the signing secret, or several while one replaces the other. Undefined is rejected. */
export type CurrentSecret = string | readonly string[] | undefined;

/** The options of every receiver. */
export interface BaseReceiverOptions extends Omit<VerificationOptions, 'secret'> {
  /**
   * The webhook's signing secret, including `whsec_`, or a function that returns it, or a list while one replaces the other.
   * The function is called once for each request with a body, forged ones included, so that a secret can be replaced while
   * the program runs, and need not exist when the receiver is created. If it throws, or does not return within 10
   * seconds, the code is `SECRET_UNAVAILABLE`, with a 503: the service delivers again.
   */
  secret?: string | (() => CurrentSecret | Promise<CurrentSecret>) | undefined;
  /** The clock that timestamps are compared with, read for each delivery. @default Date.now */
  now?: (() => Date | number) | undefined;
  /** The handlers, by event type. */
  on?: EventHandlers | undefined;
  /**
   * Handles every event that `on` has no handler for, including types that this version does not know.
   * `'ignore'` responds to them with 204. Without it, the receiver responds with 501, so that the service
   * keeps the delivery and retries it.
   */
  onUnhandled?: EventHandler<WebhookEvent> | 'ignore' | undefined;
  /**
   * What to do with a test event, whose data is made up: `'acknowledge'` responds with 200 and calls no handler, so that
   * a test of a receiver in use changes nothing; `'deliver'` handles it like any other, and `delivery.test` is true.
   * @default 'acknowledge'
   */
  test?: 'acknowledge' | 'deliver' | undefined;
  /**
   * Checks the content of verified events. Pass `validateEvent` of `@tradepost/sdk/validate`: then an event of a
   * known type whose `data` lacks fields gets a 400, with the code `INVALID_EVENT`. @default no validation
   */
  validate?: ((event: WebhookEvent) => EventIssues | Promise<EventIssues>) | undefined;
  /** Remembers which deliveries were handled, so that a repeated delivery is not handled again. */
  dedupe?: DedupeStore | undefined;
  /**
   * Receives the error of every rejected delivery. By default, `BODY_ALREADY_PARSED`, `INVALID_CONFIGURATION` and
   * `SECRET_UNAVAILABLE`, which are faults of this program, go to `console.error`, and all others to
   * `console.warn`: if `NODE_ENV` is `production`, at most one a minute for each code. A returned promise is
   * awaited.
   */
  onVerificationError?: ((error: WebhookVerificationError) => unknown) | undefined;
}

/** A receiver that responds when the work is done. */
export interface AckAfter {
  /** Left out: the receiver handles a delivery before it responds. */
  background?: undefined;
  /** Receives errors of handlers and of the dedupe store. @default console.error */
  onError?: OnError | undefined;
}

/** A receiver that responds before the work is done. */
export interface AckFirst {
  /**
   * Responds with 202 once a delivery is verified and claimed, and handles it afterwards. With `true`, the
   * work continues on its own, or through the `waitUntil` of the context passed to `.fetch`. A function
   * receives the promise of the work. It has no effect on `.lambda`, which cannot work after its response.
   */
  background: true | WaitUntil;
  /** Receives errors of handlers and of the dedupe store. Required, because the service does not retry. */
  onError: OnError;
}

/** Options of `webhookReceiver`. */
export type WebhookReceiverOptions = BaseReceiverOptions & (AckAfter | AckFirst);
