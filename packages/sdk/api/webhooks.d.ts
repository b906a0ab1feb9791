export interface AckAfter {
  background?: undefined;
  onError?: OnError | undefined;
}

export interface AckFirst {
  background: true | WaitUntil;
  onError: OnError;
}

export interface BaseReceiverOptions extends Omit<VerificationOptions, 'secret'> {
  secret?: string | (() => CurrentSecret | Promise<CurrentSecret>) | undefined;
  now?: (() => Date | number) | undefined;
  on?: EventHandlers | undefined;
  onUnhandled?: EventHandler<WebhookEvent> | 'ignore' | undefined;
  test?: 'acknowledge' | 'deliver' | undefined;
  validate?: ((event: WebhookEvent) => EventIssues | Promise<EventIssues>) | undefined;
  dedupe?: DedupeStore | undefined;
  onVerificationError?: ((error: WebhookVerificationError) => unknown) | undefined;
}

export type CurrentSecret = string | readonly string[] | undefined;

export type DedupeState = 'acquired' | 'completed' | 'in_progress';

export interface DedupeStore {
  claim(key: string): DedupeState | Promise<DedupeState>;
  complete(key: string): unknown;
  release(key: string): unknown;
}

export type DeliveryHeaders =
  | {
      get(name: string): string | null | undefined;
    }
  | {
      readonly [name: string]: string | readonly string[] | undefined;
    };

export interface DeliveryOptions extends VerificationOptions {
  headers?: DeliveryHeaders | undefined;
  signature?: string | undefined;
  now?: Date | number | undefined;
}

export type EventHandler<Event> = (event: Event, delivery: ReceivedDelivery) => unknown;

export interface EventHandlers {
  readonly 'order.created'?: EventHandler<OrderCreatedEvent> | undefined;
  readonly 'order.status_changed'?: EventHandler<OrderStatusChangedEvent> | undefined;
  readonly 'task.approval_requested'?: EventHandler<TaskApprovalRequestedEvent> | undefined;
  readonly 'task.completed'?: EventHandler<TaskCompletedEvent> | undefined;
  readonly 'listing.availability_low'?: EventHandler<ListingAvailabilityLowEvent> | undefined;
  readonly 'webhook.disabled'?: EventHandler<WebhookDisabledEvent> | undefined;
}

export type EventIssues = readonly {
  readonly path: string;
  readonly message: string;
}[];

export type EventOf<Type extends KnownWebhookEvent['event']> = Extract<
  KnownWebhookEvent,
  {
    event: Type;
  }
>;

export type EventType = (typeof allEventTypes)[number];

export interface FastifyInstanceLike {
  all(
    url: string,
    options: {
      onRequest(request: FastifyRequestLike, reply: FastifyReplyLike): Promise<unknown>;
    },
    handler: () => Promise<unknown>,
  ): unknown;
}

export interface FastifyPluginOptions {
  url?: string | undefined;
}

export interface FastifyReplyLike {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body?: string): unknown;
}

export interface FastifyRequestLike {
  readonly raw: NodeRequest;
}

export interface FetchRequest extends RequestPayload {
  readonly method: string;
}

type Handled<Value> = [Known<Value>] extends [never]
  ? unknown
  : {
      notHandled: Known<Value>;
    };

type Known<Value> = Value extends Unrecognized ? never : string extends Value ? never : Value;

export type KnownWebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent
  | WebhookDisabledEvent;

export interface LambdaEvent {
  readonly httpMethod?: string | undefined;
  readonly requestContext?: unknown;
  readonly headers?:
    | {
        readonly [name: string]: string | undefined;
      }
    | null
    | undefined;
  readonly multiValueHeaders?:
    | {
        readonly [name: string]: readonly string[] | undefined;
      }
    | null
    | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

export interface LambdaResult {
  statusCode: number;
  headers: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: false;
}

export interface ListingAvailabilityLowData {
  listingId: string;
  sellerId: string;
  availableQuantity: number;
  threshold: number;
}

export interface ListingAvailabilityLowEvent {
  event: 'listing.availability_low';
  createdAt: string;
  data: ListingAvailabilityLowData;
}

export interface MemoryDedupeStore extends DedupeStore {
  claim(key: string): DedupeState;
  complete(key: string): void;
  release(key: string): void;
}

export interface MemoryDedupeStoreOptions {
  max?: number | undefined;
  ttl?: number | undefined;
  now?: (() => number) | undefined;
}

export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: {
    readonly [name: string]: string | readonly string[] | undefined;
  };
  readonly complete?: boolean | undefined;
  readonly destroyed?: boolean | undefined;
  readonly readableDidRead?: boolean | undefined;
  on(name: string, listener: (piece: Uint8Array | string) => void): unknown;
  removeListener(name: string, listener: (piece: Uint8Array | string) => void): unknown;
}

export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  write?(body: string): unknown;
  end(body?: string): unknown;
}

export type OnError = (error: unknown, event: WebhookEvent, delivery: ReceivedDelivery) => unknown;

export interface OrderCreatedData {
  orderId: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  status: OrderStatus | Other;
}

export interface OrderCreatedEvent {
  event: 'order.created';
  createdAt: string;
  data: OrderCreatedData;
}

export type OrderStatus = (typeof orderStatuses)[number];

export interface OrderStatusChangedData {
  orderId: string;
  previousStatus: OrderStatus | Other;
  status: OrderStatus | Other;
  reason?: string;
}

export interface OrderStatusChangedEvent {
  event: 'order.status_changed';
  createdAt: string;
  data: OrderStatusChangedData;
}

export type Other = string & Record<never, never>;

export type RawPayload = string | Uint8Array | ArrayBuffer;

export interface ReceivedDelivery extends VerifiedDelivery {
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestPayload {
  readonly headers: {
    get(name: string): string | null;
  };
  readonly body: ReadableStream<Uint8Array> | null;
  readonly bodyUsed: boolean;
}

export interface TaskApprovalRequestedEvent {
  event: 'task.approval_requested';
  createdAt: string;
  data: TaskData;
}

export interface TaskCompletedEvent {
  event: 'task.completed';
  createdAt: string;
  data: TaskData;
}

export interface TaskData {
  taskId: string;
  orderId: string;
  agentId: string;
}

export interface UnknownWebhookEvent {
  event: Unrecognized;
  createdAt: string;
  data: Record<string, unknown>;
}

export declare enum Unrecognized {
  Value = '~unrecognized',
}

export interface VerificationOptions {
  secret?: string | undefined;
  secrets?: readonly string[] | undefined;
  requireTimestamp?: boolean | undefined;
  tolerance?: number | undefined;
  maxEventAge?: number | undefined;
  maxBytes?: number | undefined;
  diagnose?: boolean | undefined;
}

export interface VerifiedDelivery {
  event: WebhookEvent;
  id: string | null;
  sentAt: Date | null;
  signature: string;
  secretIndex: number;
  sequence: number | null;
  orderVersion: number | null;
  test: boolean;
}

export interface VerifyWebhookOptions extends DeliveryOptions {
  payload: RawPayload | RequestPayload;
}

export interface VerifyWebhookSyncOptions extends DeliveryOptions {
  payload: RawPayload;
}

export type WaitUntil = (work: Promise<void>) => unknown;

export interface WebhookDisabledData {
  webhookId: string;
  url: string;
  failingSince: string;
  disabledAt: string;
  lastStatus: number | null;
  lastError: string | null;
}

export interface WebhookDisabledEvent {
  event: 'webhook.disabled';
  createdAt: string;
  data: WebhookDisabledData;
}

export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

export interface WebhookReceiver {
  readonly fetch: (request: FetchRequest, context?: unknown) => Promise<Response>;
  readonly node: (request: NodeRequest, response: NodeResponse) => void;
  readonly fastify: (instance: FastifyInstanceLike, options: FastifyPluginOptions) => Promise<void>;
  readonly lambda: (event: LambdaEvent) => Promise<LambdaResult>;
}

export type WebhookReceiverOptions = BaseReceiverOptions & (AckAfter | AckFirst);

export declare class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationErrorCode;
  readonly name: 'WebhookVerificationError';
  constructor(
    code: WebhookVerificationErrorCode,
    message: string,
    options?:
      | {
          readonly cause?: unknown;
        }
      | undefined,
  );
}

export type WebhookVerificationErrorCode =
  | 'INVALID_CONFIGURATION'
  | 'SECRET_UNAVAILABLE'
  | 'BODY_ALREADY_PARSED'
  | 'BODY_TOO_LARGE'
  | 'MISSING_SIGNATURE'
  | 'MISSING_HEADER'
  | 'MALFORMED_SIGNATURE'
  | 'MALFORMED_TIMESTAMP'
  | 'SIGNATURE_MISMATCH'
  | 'BODY_RESERIALIZED'
  | 'SECRET_WHITESPACE'
  | 'WRONG_SECRET'
  | 'TIMESTAMP_TOO_OLD'
  | 'TIMESTAMP_TOO_NEW'
  | 'EVENT_TOO_OLD'
  | 'MALFORMED_BODY'
  | 'MISSING_EVENT'
  | 'INVALID_EVENT';

export declare const allEventTypes: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
  'webhook.disabled',
];

export declare function createMemoryDedupeStore({
  max,
  ttl,
  now,
}?: MemoryDedupeStoreOptions): MemoryDedupeStore;

export declare const eventTypes: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
];

export declare function exhaustive<Value>(value: Value & Handled<Value>): Value;

export declare function isOneOf<const Known extends string>(
  known: readonly Known[],
  value: string,
): value is Known;

export declare function isTestEvent({ data }: { data: object }): boolean;

declare const orderStatuses: readonly [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
];

export declare function verifyDelivery(options: VerifyWebhookOptions): Promise<VerifiedDelivery>;

export declare function verifyDeliverySync(options: VerifyWebhookSyncOptions): VerifiedDelivery;

export declare function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent>;

export declare function verifyWebhookSync(options: VerifyWebhookSyncOptions): WebhookEvent;

export declare function webhookReceiver(options: WebhookReceiverOptions): WebhookReceiver;
