type Bytes = Uint8Array & {
  readonly buffer: ArrayBuffer;
};

export type DeliveryEdgeCase = keyof typeof edgeCases;

export type DeliveryFault = keyof typeof faults;

type EventOf<Type extends KnownWebhookEvent['event']> = Extract<
  KnownWebhookEvent,
  {
    event: Type;
  }
>;

type EventType = KnownWebhookEvent['event'];

interface FaultContext {
  secret: string;
  id: string | undefined;
  now: number;
  tolerance: number;
  maxBytes: number;
  envelope: WebhookEvent;
  valid: SignedDelivery;
}

export interface InvalidDelivery extends SignedDelivery {
  fault: DeliveryFault;
  expectedCode: WebhookVerificationErrorCode;
  productionCode: WebhookVerificationErrorCode;
  expectedStatus: 400 | 413;
}

export interface InvalidDeliveryOptions {
  secret: string;
  event?: WebhookEvent | undefined;
  id?: string | undefined;
  now?: Date | number | undefined;
  tolerance?: number | undefined;
  maxBytes?: number | undefined;
}

type KnownWebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent;

interface ListingAvailabilityLowData {
  listingId: string;
  sellerId: string;
  availableQuantity: number;
  threshold: number;
}

interface ListingAvailabilityLowEvent {
  event: 'listing.availability_low';
  createdAt: string;
  data: ListingAvailabilityLowData;
}

interface OrderCreatedData {
  orderId: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  status: OrderStatus | Other;
}

interface OrderCreatedEvent {
  event: 'order.created';
  createdAt: string;
  data: OrderCreatedData;
}

type OrderStatus = (typeof orderStatuses)[number];

interface OrderStatusChangedData {
  orderId: string;
  previousStatus: OrderStatus | Other;
  status: OrderStatus | Other;
}

interface OrderStatusChangedEvent {
  event: 'order.status_changed';
  createdAt: string;
  data: OrderStatusChangedData;
}

type Other = string & Record<never, never>;

export interface SampleOverrides<Type extends EventType> {
  createdAt?: string;
  data?: Partial<EventOf<Type>['data']>;
}

export type SignDeliveryOptions = SigningOptions &
  (
    | {
        event: SignableEvent;
        body?: undefined;
      }
    | {
        body: string | Uint8Array;
        event?: undefined;
      }
  );

export type SignableEvent =
  | WebhookEvent
  | {
      event: string;
      createdAt: string;
      data: object;
      [field: string]: unknown;
    };

export interface SignedDelivery {
  body: Bytes;
  headers: Record<string, string>;
  init: {
    method: 'POST';
    headers: Record<string, string>;
    body: Bytes;
  };
  toRequest(url: string | URL): Request;
}

type Signing = Omit<SigningOptions, 'standard'>;

export interface SigningOptions {
  secret: string;
  id?: string | undefined;
  sentAt?: Date | number | undefined;
  standard?: boolean | undefined;
}

interface TaskApprovalRequestedEvent {
  event: 'task.approval_requested';
  createdAt: string;
  data: TaskData;
}

interface TaskCompletedEvent {
  event: 'task.completed';
  createdAt: string;
  data: TaskData;
}

interface TaskData {
  taskId: string;
  orderId: string;
  agentId: string;
}

interface UnknownWebhookEvent {
  event: Unrecognized;
  createdAt: string;
  data: Record<string, unknown>;
}

type Unrecognized = UnrecognizedValue;

declare enum UnrecognizedValue {
  Value = '~unrecognized',
}

type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

type WebhookVerificationErrorCode =
  | 'INVALID_CONFIGURATION'
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

export declare const deliveryEdgeCases: readonly DeliveryEdgeCase[];

export declare const deliveryFaults: readonly DeliveryFault[];

export declare function edgeCaseDelivery(
  edgeCase: DeliveryEdgeCase,
  options: Signing,
): Promise<SignedDelivery>;

declare const edgeCases: {
  readonly bom: (signing: Signing) => Promise<SignedDelivery>;
  readonly 'invalid-utf-8': (signing: Signing) => Promise<SignedDelivery>;
  readonly multibyte: (signing: Signing) => Promise<SignedDelivery>;
  readonly indented: (signing: Signing) => Promise<SignedDelivery>;
  readonly 'unknown-fields': (signing: Signing) => Promise<SignedDelivery>;
  readonly plain: (signing: Signing) => Promise<SignedDelivery>;
  readonly 'staged-secret': (signing: Signing) => Promise<SignedDelivery>;
};

export declare const exampleSecret = 'whsec_VHJhZGVwb3N0IGV4YW1wbGUgc2VjcmV0IGZvciB0ZXN0cw==';

declare const faults: {
  readonly tampered: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly diagnosed: 'WRONG_SECRET';
    readonly make: ({ valid, envelope }: FaultContext) => SignedDelivery;
  };
  readonly truncated: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly empty: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly bom: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly diagnosed: 'BODY_RESERIALIZED';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly reserialized: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly diagnosed: 'BODY_RESERIALIZED';
    readonly make: ({ valid, envelope }: FaultContext) => SignedDelivery;
  };
  readonly 'wrong-secret': {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly diagnosed: 'WRONG_SECRET';
    readonly make: ({ envelope, id, now }: FaultContext) => Promise<SignedDelivery>;
  };
  readonly unsigned: {
    readonly code: 'MISSING_SIGNATURE';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly 'malformed-signature': {
    readonly code: 'MALFORMED_SIGNATURE';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly 'uppercase-signature': {
    readonly code: 'MALFORMED_SIGNATURE';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly 'missing-header': {
    readonly code: 'MISSING_HEADER';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly 'malformed-timestamp': {
    readonly code: 'MALFORMED_TIMESTAMP';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly 'another-id': {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly make: ({ valid }: FaultContext) => SignedDelivery;
  };
  readonly 'another-time': {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly make: ({ valid, now }: FaultContext) => Promise<SignedDelivery>;
  };
  readonly stale: {
    readonly code: 'TIMESTAMP_TOO_OLD';
    readonly make: ({
      envelope,
      secret,
      id,
      now,
      tolerance,
    }: FaultContext) => Promise<SignedDelivery>;
  };
  readonly future: {
    readonly code: 'TIMESTAMP_TOO_NEW';
    readonly make: ({
      envelope,
      secret,
      id,
      now,
      tolerance,
    }: FaultContext) => Promise<SignedDelivery>;
  };
  readonly 'missing-event': {
    readonly code: 'MISSING_EVENT';
    readonly make: ({
      envelope: { createdAt, data },
      ...context
    }: FaultContext) => Promise<SignedDelivery>;
  };
  readonly 'type-for-event': {
    readonly code: 'MISSING_EVENT';
    readonly make: ({
      envelope: { event, createdAt, data },
      ...context
    }: FaultContext) => Promise<SignedDelivery>;
  };
  readonly 'not-json': {
    readonly code: 'MALFORMED_BODY';
    readonly make: ({ secret, id, now }: FaultContext) => Promise<SignedDelivery>;
  };
  readonly list: {
    readonly code: 'MALFORMED_BODY';
    readonly make: ({ envelope, ...context }: FaultContext) => Promise<SignedDelivery>;
  };
  readonly 'too-large': {
    readonly code: 'BODY_TOO_LARGE';
    readonly make: ({ valid, secret, id, now, maxBytes }: FaultContext) => Promise<SignedDelivery>;
  };
};

export declare function invalidDelivery(
  fault: DeliveryFault,
  options: InvalidDeliveryOptions,
): Promise<InvalidDelivery>;

declare const orderStatuses: readonly [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
];

export declare function sampleEvent<Type extends EventType>(
  type: Type,
  { createdAt, data }?: SampleOverrides<Type>,
): EventOf<Type>;

export declare function signDelivery(options: SignDeliveryOptions): Promise<SignedDelivery>;
