export type DeliveryFault = keyof typeof faults;

export type DeliveryOddity = keyof typeof oddities;

interface Envelope<Kind extends EventKind$, Data> {
  event: Kind;
  createdAt: string;
  data: Data;
}

type EventKind = KnownWebhookEvent['event'];

type EventKind$ = (typeof eventKinds)[number];

type EventOf<Kind extends KnownWebhookEvent['event']> = Extract<
  KnownWebhookEvent,
  {
    event: Kind;
  }
>;

export interface FaultyDelivery extends SignedDelivery {
  fault: DeliveryFault;
  expectedCode: WebhookVerificationErrorCode;
  productionCode: WebhookVerificationErrorCode;
  expectedStatus: 400 | 413;
}

export interface FaultyDeliveryOptions {
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

interface ListingAvailabilityLowEvent
  extends Envelope<'listing.availability_low', ListingAvailabilityLowData> {}

interface OrderCreatedData extends Omit<OrderCreatedData$, 'status'> {
  status: OrderStatus | Unrecognized;
}

interface OrderCreatedData$ {
  orderId: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  status: OrderStatus;
}

interface OrderCreatedEvent extends Omit<OrderCreatedEvent$, 'data'> {
  data: OrderCreatedData;
}

interface OrderCreatedEvent$ extends Envelope<'order.created', OrderCreatedData$> {}

type OrderStatus = (typeof orderStatuses)[number];

interface OrderStatusChangedData
  extends Omit<OrderStatusChangedData$, 'previousStatus' | 'status'> {
  previousStatus: OrderStatus | Unrecognized;
  status: OrderStatus | Unrecognized;
}

interface OrderStatusChangedData$ {
  orderId: string;
  previousStatus: OrderStatus;
  status: OrderStatus;
}

interface OrderStatusChangedEvent extends Omit<OrderStatusChangedEvent$, 'data'> {
  data: OrderStatusChangedData;
}

interface OrderStatusChangedEvent$
  extends Envelope<'order.status_changed', OrderStatusChangedData$> {}

export interface SampleOverrides<Kind extends EventKind> {
  createdAt?: string;
  data?: Partial<EventOf<Kind>['data']>;
}

interface Setting {
  secret: string;
  id: string | undefined;
  now: number;
  tolerance: number;
  maxBytes: number;
  envelope: WebhookEvent;
  sound: SignedDelivery;
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
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
  init: {
    method: 'POST';
    headers: Record<string, string>;
    body: Uint8Array<ArrayBuffer>;
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

interface TaskApprovalRequestedEvent extends Envelope<'task.approval_requested', TaskData> {}

interface TaskCompletedEvent extends Envelope<'task.completed', TaskData> {}

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
  | 'BODY_PARSED'
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
  | 'MISSING_EVENT';

export declare const deliveryFaults: readonly DeliveryFault[];

export declare const deliveryOddities: readonly DeliveryOddity[];

declare const eventKinds: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
];

export declare const exampleSecret = 'whsec_VHJhZGVwb3N0IGV4YW1wbGUgc2VjcmV0IGZvciB0ZXN0cw==';

declare const faults: {
  readonly tampered: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly diagnosed: 'WRONG_SECRET';
    readonly make: ({ sound, envelope }: Setting) => SignedDelivery;
  };
  readonly truncated: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly empty: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly bom: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly diagnosed: 'BODY_RESERIALIZED';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly reserialized: {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly diagnosed: 'BODY_RESERIALIZED';
    readonly make: ({ sound, envelope }: Setting) => SignedDelivery;
  };
  readonly 'wrong-secret': {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly diagnosed: 'WRONG_SECRET';
    readonly make: ({ envelope, id, now }: Setting) => Promise<SignedDelivery>;
  };
  readonly unsigned: {
    readonly code: 'MISSING_SIGNATURE';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly 'malformed-signature': {
    readonly code: 'MALFORMED_SIGNATURE';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly 'uppercase-signature': {
    readonly code: 'MALFORMED_SIGNATURE';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly 'missing-header': {
    readonly code: 'MISSING_HEADER';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly 'malformed-timestamp': {
    readonly code: 'MALFORMED_TIMESTAMP';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly 'another-id': {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly make: ({ sound }: Setting) => SignedDelivery;
  };
  readonly 'another-time': {
    readonly code: 'SIGNATURE_MISMATCH';
    readonly make: ({ sound, now }: Setting) => Promise<SignedDelivery>;
  };
  readonly stale: {
    readonly code: 'TIMESTAMP_TOO_OLD';
    readonly make: ({ envelope, secret, id, now, tolerance }: Setting) => Promise<SignedDelivery>;
  };
  readonly future: {
    readonly code: 'TIMESTAMP_TOO_NEW';
    readonly make: ({ envelope, secret, id, now, tolerance }: Setting) => Promise<SignedDelivery>;
  };
  readonly 'missing-event': {
    readonly code: 'MISSING_EVENT';
    readonly make: ({
      envelope: { createdAt, data },
      ...setting
    }: Setting) => Promise<SignedDelivery>;
  };
  readonly 'type-for-event': {
    readonly code: 'MISSING_EVENT';
    readonly make: ({
      envelope: { event, createdAt, data },
      ...setting
    }: Setting) => Promise<SignedDelivery>;
  };
  readonly 'not-json': {
    readonly code: 'MALFORMED_BODY';
    readonly make: ({ secret, id, now }: Setting) => Promise<SignedDelivery>;
  };
  readonly list: {
    readonly code: 'MALFORMED_BODY';
    readonly make: ({ envelope, ...setting }: Setting) => Promise<SignedDelivery>;
  };
  readonly 'too-large': {
    readonly code: 'BODY_TOO_LARGE';
    readonly make: ({ sound, secret, id, now, maxBytes }: Setting) => Promise<SignedDelivery>;
  };
};

export declare function faultyDelivery(
  fault: DeliveryFault,
  options: FaultyDeliveryOptions,
): Promise<FaultyDelivery>;

declare const oddities: {
  readonly bom: (signing: Signing) => Promise<SignedDelivery>;
  readonly 'invalid-utf-8': (signing: Signing) => Promise<SignedDelivery>;
  readonly multibyte: (signing: Signing) => Promise<SignedDelivery>;
  readonly indented: (signing: Signing) => Promise<SignedDelivery>;
  readonly 'unknown-fields': (signing: Signing) => Promise<SignedDelivery>;
  readonly plain: (signing: Signing) => Promise<SignedDelivery>;
  readonly 'staged-secret': (signing: Signing) => Promise<SignedDelivery>;
};

declare const orderStatuses: readonly [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
];

export declare function sampleEvent<Kind extends EventKind>(
  kind: Kind,
  { createdAt, data }?: SampleOverrides<Kind>,
): EventOf<Kind>;

export declare function signDelivery(options: SignDeliveryOptions): Promise<SignedDelivery>;

export declare function unusualDelivery(
  oddity: DeliveryOddity,
  options: Signing,
): Promise<SignedDelivery>;
