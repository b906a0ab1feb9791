declare class AbortError extends TradepostError {
  readonly name: 'AbortError';
}

interface Account {
  id: string;
  kind: AccountKind | Other;
  name: string;
  createdAt: string;
  key: AccountKey;
}

type AccountEvent =
  | OrderCreatedAccountEvent
  | OrderStatusChangedAccountEvent
  | TaskApprovalRequestedAccountEvent
  | TaskCompletedAccountEvent
  | ListingAvailabilityLowAccountEvent
  | WebhookDisabledAccountEvent
  | UnknownAccountEvent;

interface AccountKey {
  id: string;
  prefix: string;
  readOnly: boolean;
  expiresAt: string | null;
}

type AccountKind = (typeof accountKinds)[number];

declare class Accounts {
  #private;
  get(options?: RequestOptions): ApiPromise<Account>;
}

type AnyTradepostError =
  | AbortError
  | AuthenticationError
  | ConflictError
  | ConnectionError
  | NotFoundError
  | PermissionError
  | PreconditionFailedError
  | RateLimitError
  | ServerError
  | TimeoutError
  | InvalidResponseError
  | ValidationError
  | (TradepostError & {
      readonly name: 'TradepostError';
    });

interface ApiKey extends AccountKey {
  name: string | null;
  kind: KeyKind | Other;
  createdAt: string;
  revokedAt: string | null;
  lastUsedAt: string | null;
  createdBy: string | null;
  current: boolean;
}

interface ApiPromise<Data> extends Promise<Data> {
  withResponse(): Promise<ApiResponse<Data>>;
  safe(): Promise<Result<Data>>;
}

interface ApiResponse<Data> {
  data: Data;
  status: number;
  headers: ResponseHeaders;
  requestId: string | null;
  extensions: readonly (Extension | Other)[];
}

interface AttemptHookEvent {
  operation: string;
  route: string;
  callId: string;
  method: string;
  path: string;
  attempt: number;
}

declare class AuthenticationError extends TradepostError {
  readonly name: 'AuthenticationError';
}

type Bytes = Uint8Array & {
  readonly buffer: ArrayBuffer;
};

type ClientErrorCode =
  | 'invalid_configuration'
  | 'connection_failed'
  | 'load_failed'
  | 'timeout'
  | 'aborted'
  | 'redirected'
  | 'invalid_response'
  | 'response_too_large'
  | 'contract_mismatch'
  | 'hook_failed'
  | 'http_error';

declare class ConflictError extends TradepostError {
  readonly name: 'ConflictError';
}

declare class ConnectionError extends TradepostError {
  readonly name: 'ConnectionError';
  readonly notSent: boolean;
  constructor(
    message: string,
    details: TradepostErrorDetails & {
      notSent: boolean;
    },
  );
}

interface CreatedApiKey extends ApiKey {
  key: string;
}

type CreatedWebhook = Pick<RegisteredWebhook, 'url' | 'events'> & Partial<RegisteredWebhook>;

declare class Deliveries {
  #private;
  list(params?: DeliveryListParams, options?: RequestOptions): PagePromise<Delivery>;
  get(id: string, options?: RequestOptions): ApiPromise<DeliveryDetails>;
  replay(id: string, options?: RequestOptions): ApiPromise<Delivery>;
}

interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  event: EventType$ | Other;
  orderId: string | null;
  state: DeliveryState | Other;
  test: boolean;
  attemptCount: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  deadlineAt: string;
  createdAt: string;
  finishedAt: string | null;
}

interface DeliveryAttempt {
  number: number;
  startedAt: string;
  durationMs: number;
  url: string;
  headers: Record<string, string>;
  status: number | null;
  error: string | null;
  responseSnippet: string;
}

interface DeliveryDetails extends Delivery {
  body: string;
  attempts: DeliveryAttempt[];
}

export type DeliveryEdgeCase = keyof typeof edgeCases;

export type DeliveryFault = keyof typeof faults;

interface DeliveryListParams {
  webhookId?: string | undefined;
  eventId?: string | undefined;
  orderId?: string | undefined;
  event?: EventType$ | undefined;
  state?: DeliveryState | undefined;
  since?: string | Date | undefined;
  until?: string | Date | undefined;
  statusClass?: StatusClass | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

type DeliveryState = (typeof deliveryStates)[number];

interface DeliveryStats {
  delivered: number;
  failed: number;
  attempts: Record<StatusClass, number>;
  latencyMs: ResponseLatency | null;
}

interface DeliveryStatsPoint extends DeliveryStats {
  start: string;
}

export interface EdgeCaseOptions extends Signing {
  event?: WebhookEvent | undefined;
}

type ErrorCode = ProblemCode | ClientErrorCode | Other;

interface ErrorHookEvent extends AttemptHookEvent {
  durationMs: number;
  error: TradepostError;
  code: ErrorCode;
  status: number | null;
  requestId: string | null;
}

interface EventActor {
  accountId: string;
  kind: AccountKind | Other;
}

interface EventListParams {
  after?: string | undefined;
  since?: string | Date | undefined;
  until?: string | Date | undefined;
  type?: EventType$ | undefined;
  orderId?: string | undefined;
  limit?: number | undefined;
  waitSeconds?: number | undefined;
}

type EventOf<Type extends KnownWebhookEvent['event']> = Extract<
  KnownWebhookEvent,
  {
    event: Type;
  }
>;

interface EventPage {
  data: AccountEvent[];
  nextCursor: string;
  hasMore?: boolean;
}

interface EventStream extends AsyncIterable<AccountEvent> {
  pages(): AsyncIterable<EventPage>;
}

type EventType = KnownWebhookEvent['event'];

type EventType$ = (typeof allEventTypes)[number];

declare class Events {
  #private;
  list(params?: EventListParams, options?: RequestOptions): PagePromise<AccountEvent, EventPage>;
  latest(
    params?: LatestEventsParams,
    options?: RequestOptions,
  ): PagePromise<AccountEvent, LatestEventPage>;
  get(id: string, options?: RequestOptions): ApiPromise<AccountEvent>;
  follow(params?: FollowEventsOptions, options?: RequestOptions): EventStream;
}

type ExpandedOrder<Expand extends OrderExpansion = OrderExpansion> = Order &
  Pick<OrderExpansions, Expand>;

type ExpandedWebhook<Expand extends WebhookExpansion = WebhookExpansion> = WebhookDetails &
  Pick<WebhookExpansions, Expand>;

type Expectation = 'accept' | 'refuse' | 'either';

type Extension = (typeof extensions)[number];

interface FailureResult {
  ok: false;
  error: AnyTradepostError;
}

interface FaultContext {
  secret: string;
  id: string | undefined;
  now: number;
  tolerance: number;
  maxBytes: number;
  envelope: WebhookEvent;
  valid: SignedDelivery;
}

type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'manual';
    signal: AbortSignal;
    maxResponseBytes?: number;
  },
) => Promise<{
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body?: unknown;
  text(): Promise<string>;
}>;

interface Finding {
  invariant: SimulationInvariant;
  cause: string;
  explanation: string;
  eventId: string;
}

interface FollowEventsOptions {
  after?: string | undefined;
  from?: 'now' | undefined;
  since?: string | Date | undefined;
  type?: EventType$ | undefined;
  orderId?: string | undefined;
  limit?: number | undefined;
  waitSeconds?: number | undefined;
  reconnectTimeout?: number | undefined;
  onOutage?: ((outage: StreamOutage) => void) | undefined;
}

interface GetOrderOptions extends RequestOptions {
  expand?: OrderExpansion | readonly OrderExpansion[] | undefined;
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

declare class InvalidResponseError extends TradepostError {
  readonly name: 'InvalidResponseError';
  readonly errors: ProblemIssue[];
  constructor(message: string, details: InvalidResponseErrorDetails);
}

interface InvalidResponseErrorDetails extends TradepostErrorDetails {
  errors?: readonly ProblemIssue[] | undefined;
}

interface KeyCreateParams {
  name?: string | undefined;
  readOnly?: boolean | undefined;
  expiresIn?: number | undefined;
}

type KeyKind = (typeof keyKinds)[number];

interface KeyListParams {
  limit?: number | undefined;
  cursor?: string | undefined;
}

declare class Keys {
  #private;
  list(params?: KeyListParams, options?: RequestOptions): PagePromise<ApiKey>;
  create(params?: KeyCreateParams, options?: RequestOptions): ApiPromise<CreatedApiKey>;
  revoke(id: string, options?: RequestOptions): ApiPromise<void>;
}

type KnownWebhookEvent =
  | OrderCreatedEvent
  | OrderStatusChangedEvent
  | TaskApprovalRequestedEvent
  | TaskCompletedEvent
  | ListingAvailabilityLowEvent
  | WebhookDisabledEvent;

interface LatestEventPage {
  data: AccountEvent[];
  nextCursor: string | null;
  after: string;
}

interface LatestEventsParams {
  since?: string | Date | undefined;
  until?: string | Date | undefined;
  type?: EventType$ | undefined;
  orderId?: string | undefined;
  limit?: number | undefined;
  before?: string | undefined;
}

interface ListingAvailabilityLowAccountEvent extends ListingAvailabilityLowEvent$ {
  id: string;
  actor?: EventActor | null;
}

interface ListingAvailabilityLowData {
  listingId: string;
  sellerId: string;
  availableQuantity: number;
  threshold: number;
}

interface ListingAvailabilityLowData$ {
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

interface ListingAvailabilityLowEvent$ {
  event: 'listing.availability_low';
  createdAt: string;
  data: ListingAvailabilityLowData$;
}

interface MarkAllReadParams {
  before: string | Date;
}

interface MarkedNotifications {
  marked: number;
  hasMore: boolean;
}

export interface MockAccount {
  id: string;
  kind: AccountKind;
  name: string;
  createdAt: string;
  apiKey: string;
  readOnly: boolean;
}

export type MockAccountOverrides = Overrides<
  Pick<MockAccount, 'id' | 'kind' | 'name' | 'readOnly'>
>;

export type MockAccounts = Readonly<Record<AccountKind, MockAccount>>;

export interface MockClientOptions {
  baseUrl: string;
  apiKey: string;
  fetch: NonNullable<TradepostOptions['fetch']>;
  wait: NonNullable<TradepostOptions['wait']>;
}

export interface MockDeliverOptions {
  sentAt?: Date | number | undefined;
  shuffle?: boolean | number | undefined;
  copies?: number | undefined;
}

export interface MockErrorResponse {
  status?: number | undefined;
  code?: ProblemCode | Other | undefined;
  detail?: string | undefined;
  errors?: readonly ProblemIssue[] | undefined;
  retryAfter?: number | undefined;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  applied?: boolean | undefined;
}

export interface MockFailOptions {
  times?: number | undefined;
}

export type MockFailure = 'connection' | 'timeout' | 'hang' | 'lost_response' | MockErrorResponse;

export interface MockListing {
  id: string;
  sellerId: string;
  agentId: string | null;
  title: string | null;
  availableQuantity: number;
  lowThreshold: number | null;
  createdAt: string;
}

export type MockListingOverrides = Overrides<MockListing>;

export type MockNotificationOverrides = Overrides<
  Notification & {
    accountId: string;
  }
>;

export type MockOperation =
  | 'orders.list'
  | 'orders.create'
  | 'orders.get'
  | 'orders.update'
  | 'orders.timeline'
  | 'notifications.list'
  | 'notifications.markRead'
  | 'notifications.markAllRead'
  | 'webhooks.create'
  | 'webhooks.list'
  | 'webhooks.get'
  | 'webhooks.stats'
  | 'webhooks.update'
  | 'webhooks.delete'
  | 'webhooks.stageSecret'
  | 'webhooks.promoteSecret'
  | 'webhooks.test'
  | 'webhooks.replayDeliveries'
  | 'deliveries.list'
  | 'deliveries.get'
  | 'deliveries.replay'
  | 'events.list'
  | 'events.get'
  | 'partners.list'
  | 'account.get'
  | 'summary.get'
  | 'keys.list'
  | 'keys.create'
  | 'keys.revoke'
  | 'signIn.createCode'
  | 'sessions.create';

export type MockOrderOverrides = Overrides<
  Omit<Order, 'status'> & {
    status: OrderStatus;
  }
>;

export interface MockRateLimit {
  limit: number;
  window?: number | undefined;
}

export type MockReceiver = (request: Request) => Response | Promise<Response>;

export interface MockRequest {
  operation: MockOperation | null;
  method: string;
  path: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  body: unknown;
  status: number | null;
}

export type MockTime = string | Date | (() => Date | number);

export interface MockTradepost {
  readonly client: Tradepost;
  readonly accounts: MockAccounts;
  readonly requests: readonly MockRequest[];
  as(account: AccountKind | MockAccount, options?: Partial<TradepostOptions>): Tradepost;
  clientOptions(account: AccountKind | MockAccount): MockClientOptions;
  addAccount(overrides?: MockAccountOverrides): MockAccount;
  addListing(overrides?: MockListingOverrides): MockListing;
  addOrder(overrides?: MockOrderOverrides): Order;
  addNotification(overrides?: MockNotificationOverrides): Notification;
  getListing(id: string): MockListing;
  fail(operation: MockOperation | '*', failure: MockFailure, options?: MockFailOptions): () => void;
  advance(milliseconds: number): void;
  deliver(receive: MockReceiver, options?: MockDeliverOptions): Promise<Delivery[]>;
}

export interface MockTradepostOptions {
  extensions?: boolean | undefined;
  now?: MockTime | undefined;
  rateLimit?: MockRateLimit | undefined;
  baseUrl?: string | undefined;
}

interface MoveOrderOptions extends RequestOptions {
  dryRun?: boolean | undefined;
  beforeUpdate?: ((order: Order, response: ApiResponse<Order>) => void | Promise<void>) | undefined;
  progress?: OrderMoveProgress | undefined;
}

declare class NotFoundError extends TradepostError {
  readonly name: 'NotFoundError';
}

interface Notification {
  id: string;
  type: NotificationType | Other;
  orderId: string;
  message: string;
  read: boolean;
  createdAt: string;
}

interface NotificationListParams {
  read?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

type NotificationType = Underscore<EventType$>;

declare class Notifications {
  #private;
  list(params?: NotificationListParams, options?: RequestOptions): PagePromise<Notification>;
  markRead(id: string, options?: RequestOptions): ApiPromise<UpdatedNotification>;
  markAllRead(params: MarkAllReadParams, options?: RequestOptions): ApiPromise<MarkedNotifications>;
}

interface Order {
  id: string;
  status: OrderStatus | Other;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  createdAt: string;
  updatedAt: string;
}

interface OrderCreateParams {
  listingId: string;
  quantity: number;
}

interface OrderCreatedAccountEvent extends OrderCreatedEvent$ {
  id: string;
  actor?: EventActor | null;
}

interface OrderCreatedData {
  orderId: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  status: OrderStatus$ | Other$;
}

interface OrderCreatedData$ {
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

interface OrderCreatedEvent$ {
  event: 'order.created';
  createdAt: string;
  data: OrderCreatedData$;
}

type OrderExpansion = (typeof orderExpansions)[number];

interface OrderExpansions {
  buyer: OrderParty;
  seller: OrderParty;
  agent: OrderParty | null;
  listing: OrderListing;
  etag: string;
}

interface OrderListParams {
  status?: OrderStatus | readonly OrderStatus[] | undefined;
  buyerId?: string | undefined;
  sellerId?: string | undefined;
  listingId?: string | undefined;
  minQuantity?: number | undefined;
  maxQuantity?: number | undefined;
  createdAfter?: string | Date | undefined;
  createdBefore?: string | Date | undefined;
  updatedAfter?: string | Date | undefined;
  sort?: OrderSort | undefined;
  expand?: OrderExpansion | readonly OrderExpansion[] | undefined;
  count?: number | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface OrderListing {
  id: string;
  title: string | null;
}

interface OrderMove {
  outcome: 'moved' | 'unchanged' | 'skipped' | 'unknown' | 'possible' | 'impossible';
  from: Order['status'];
  order: Order;
}

interface OrderMoveParams {
  to: OrderStatus;
  from?: OrderStatus | undefined;
  reason?: string | undefined;
}

interface OrderMoveProgress {
  before?: Order | undefined;
  lost?: TradepostError | undefined;
}

interface OrderPage<Item extends Order = Order> extends Page<Item> {
  total?: OrderTotal;
}

interface OrderParty {
  id: string;
  name: string;
}

type OrderSort = (typeof orderSorts)[number];

type OrderStatus = (typeof orderStatuses)[number];

type OrderStatus$ = (typeof orderStatuses$)[number];

interface OrderStatusChangedAccountEvent extends OrderStatusChangedEvent$ {
  id: string;
  actor?: EventActor | null;
}

interface OrderStatusChangedData {
  orderId: string;
  previousStatus: OrderStatus$ | Other$;
  status: OrderStatus$ | Other$;
  reason?: string;
}

interface OrderStatusChangedData$ {
  orderId: string;
  previousStatus: OrderStatus | Other;
  status: OrderStatus | Other;
  reason?: string;
}

interface OrderStatusChangedEvent {
  event: 'order.status_changed';
  createdAt: string;
  data: OrderStatusChangedData;
}

interface OrderStatusChangedEvent$ {
  event: 'order.status_changed';
  createdAt: string;
  data: OrderStatusChangedData$;
}

interface OrderTimeline {
  entries: TimelineEntry[];
  prunedBefore: string | null;
}

interface OrderTotal {
  count: number;
  atLeast: boolean;
}

interface OrderUpdateParams {
  status: OrderStatus;
  reason?: string | undefined;
}

declare class Orders {
  #private;
  list<const Expand extends OrderExpansion>(
    params: OrderListParams & {
      expand: Expand | readonly Expand[];
    },
    options?: RequestOptions,
  ): PagePromise<ExpandedOrder<Expand>, OrderPage<ExpandedOrder<Expand>>>;
  list(params?: OrderListParams, options?: RequestOptions): PagePromise<Order, OrderPage>;
  create(params: OrderCreateParams, options?: RequestOptions): ApiPromise<Order>;
  get<const Expand extends OrderExpansion>(
    id: string,
    options: GetOrderOptions & {
      expand: Expand | readonly Expand[];
    },
  ): ApiPromise<ExpandedOrder<Expand>>;
  get(id: string, options?: GetOrderOptions): ApiPromise<Order>;
  update(
    id: string,
    params: OrderUpdateParams,
    options?: UpdateOrderOptions,
  ): ApiPromise<UpdatedOrder>;
  move(id: string, params: OrderMoveParams, options?: MoveOrderOptions): Promise<OrderMove>;
  timeline(id: string, options?: RequestOptions): ApiPromise<OrderTimeline>;
}

type Other = string & Record<never, never>;

type Other$ = string & Record<never, never>;

type Overrides<Fields> = {
  [Name in keyof Fields]?: Fields[Name] | undefined;
};

interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

interface PagePromise<Item, OnePage extends Page<Item> = Page<Item>>
  extends Promise<OnePage>,
    AsyncIterable<Item> {
  pages(): AsyncIterable<OnePage>;
  toArray(options: { limit: number }): Promise<Item[]>;
  withResponse(): Promise<ApiResponse<OnePage>>;
  safe(): Promise<Result<OnePage>>;
}

interface Partner {
  id: string;
  kind: AccountKind | Other;
  name: string;
}

interface PartnerListParams {
  name?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

declare class Partners {
  #private;
  list(params?: PartnerListParams, options?: RequestOptions): PagePromise<Partner>;
}

interface PathRequestOptions extends RequestOptions {
  query?: Record<string, string | number | boolean | Date | undefined> | undefined;
  body?: unknown;
}

declare class PermissionError extends TradepostError {
  readonly name: 'PermissionError';
}

export interface PlannedAttempt {
  late?: number;
  slow?: number;
  copy?: number;
  lose?: 'request' | 'response';
  crash?: number;
}

export interface PlannedEvent {
  id: number;
  type: SimulatedEventType;
  order: number;
  version: number;
  at: number;
  attempts?: PlannedAttempt[];
}

declare class PreconditionFailedError extends TradepostError {
  readonly name: 'PreconditionFailedError';
}

export interface ProbeCaseResult {
  name: string;
  expectation: Expectation;
  verdict: 'pass' | 'fail' | 'note' | 'not run';
  status: number | null;
  error: string | null;
  cause: string | null;
  durationMs: number | null;
}

export interface ProbeCause {
  name: string;
  verdict: 'fail' | 'note';
  text: string;
  cases: string[];
}

export interface ProbeDeclaration {
  signatureHeaderAlone?: boolean | undefined;
  standardWebhooks?: boolean | undefined;
  webhookId?: string | undefined;
}

export interface ProbeOptions {
  url: string | URL;
  secret: string;
  nextSecret?: string | undefined;
  declare?: ProbeDeclaration | undefined;
  handled?: (() => number | Promise<number>) | undefined;
  timeoutMs?: number | undefined;
  onCase?: ((name: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface ProbeReport {
  verdict: 'pass' | 'fail' | 'inconclusive';
  counts: {
    pass: number;
    fail: number;
    note: number;
    notRun: number;
  };
  cases: ProbeCaseResult[];
  causes: ProbeCause[];
}

interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode | Other;
  requestId: string;
  errors?: ProblemIssue[];
}

type ProblemCode = keyof typeof problems;

interface ProblemIssue {
  path: string;
  message: string;
}

declare class RateLimitError extends TradepostError {
  readonly name: 'RateLimitError';
  readonly retryAfter: number | null;
  constructor(
    message: string,
    details: TradepostErrorDetails & {
      retryAfter: number | null;
    },
  );
}

interface RegisteredWebhook extends Webhook {
  secret: string;
}

interface ReplayAllParams extends ReplayDeliveriesParams {
  max?: number | undefined;
}

interface ReplayDeliveriesParams {
  state?: DeliveryState | undefined;
  since?: string | Date | undefined;
  until?: string | Date | undefined;
  event?: EventType$ | undefined;
  statusClass?: StatusClass | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface ReplayedDeliveries {
  replayed: number;
  skipped: number;
  nextCursor: string | null;
}

interface RequestHeaders extends ResponseHeaders {
  has(name: string): boolean;
  set(name: string, value: string): void;
  delete(name: string): void;
}

interface RequestHookEvent extends AttemptHookEvent {
  url: string;
  headers: RequestHeaders;
}

interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  deadline?: number | undefined;
  maxRetries?: number | undefined;
  idempotencyKey?: string | undefined;
  headers?: Record<string, string> | undefined;
}

interface ResponseHeaders {
  get(name: string): string | null;
  forEach(callback: (value: string, name: string) => void): void;
}

interface ResponseHookEvent extends AttemptHookEvent {
  status: number;
  headers: ResponseHeaders;
  requestId: string | null;
  durationMs: number;
}

interface ResponseLatency {
  mean: number;
  p50: number;
  p95: number;
}

type ResponseValidator = (response: {
  method: string;
  route: string;
  status: number;
  body: unknown;
}) => readonly ProblemIssue[];

type Result<Data> = SuccessResult<Data> | FailureResult;

interface RetryHookEvent extends ErrorHookEvent {
  delayMs: number;
}

export interface SampleOverrides<Type extends EventType> {
  createdAt?: string | undefined;
  data?: Overrides<EventOf<Type>['data']> | undefined;
}

interface SendTestEventParams {
  event: EventType$;
}

declare class ServerError extends TradepostError {
  readonly name: 'ServerError';
  readonly retryAfter: number | null;
  constructor(
    message: string,
    details: TradepostErrorDetails & {
      retryAfter: number | null;
    },
  );
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

declare class SignIn {
  #private;
  createCode(options?: RequestOptions): ApiPromise<SignInCode>;
}

interface SignInCode {
  code: string;
  expiresAt: string;
}

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
  position?:
    | {
        sequence: number;
        orderVersion?: number | null | undefined;
      }
    | null
    | undefined;
}

export type SimulatedEventType = (typeof eventTypes)[number];

export interface SimulatedReceiver {
  receive(request: Request): Response | Promise<Response>;
  stop?(): unknown;
}

export interface SimulationCounterexample extends Finding {
  plan: SimulationPlan;
  history: readonly string[];
  isSimplest: boolean;
  code: string;
}

export interface SimulationEnvironment {
  readonly instance: number;
  durable<Value>(name: string, create: () => Value): Value;
  effect(id: string | null, name?: string): Promise<void>;
  wrap<Store extends object>(store: Store): Wrapped<Store>;
  sleep(milliseconds: number): Promise<void>;
  now(): number;
  readonly secret: string;
  secrets(): string[];
}

export type SimulationFault = (typeof simulationFaults)[number];

export type SimulationInvariant = keyof typeof simulationInvariants;

export interface SimulationOptions {
  start: StartReceiver;
  seed?: number | undefined;
  runs?: number | undefined;
  days?: number | undefined;
  events?: number | undefined;
  types?: readonly SimulatedEventType[] | undefined;
  instances?: number | undefined;
  faults?: readonly SimulationFault[] | undefined;
  snapshot?: TakeSnapshot | undefined;
  atomic?: boolean | undefined;
  realTime?: boolean | undefined;
  plan?: SimulationPlan | undefined;
}

export interface SimulationPlan {
  instances: number;
  events: PlannedEvent[];
  clock?: number;
  rotation?: number;
  forged?: {
    at: number;
    fault: 'tampered' | 'wrong-secret' | 'unsigned';
  }[];
}

export interface SimulationResult {
  ok: boolean;
  seed: number | null;
  runs: number;
  deliveries: number;
  requests: number;
  crashes: number;
  judged: readonly SimulationInvariant[];
  inconclusive: string | null;
  repeatedByCrash: number;
  counterexample: SimulationCounterexample | null;
}

interface StagedSecret {
  webhookId: string;
  secret: string;
  stagedAt: string;
}

type StartReceiver = (
  environment: SimulationEnvironment,
) => SimulatedReceiver | Promise<SimulatedReceiver>;

type StatsWindow = (typeof statsWindows)[number];

type StatusClass = (typeof statusClasses)[number];

type StreamOutage =
  | {
      state: 'waiting';
      error: TradepostError;
      failures: number;
      delayMs: number;
      remainingMs: number;
    }
  | {
      state: 'over';
      failures: number;
    };

interface SuccessResult<Data> extends ApiResponse<Data> {
  ok: true;
}

declare class Summaries {
  #private;
  get(options?: RequestOptions): ApiPromise<Summary>;
}

interface Summary {
  asOf: string;
  orders: Record<OrderStatus, SummaryCount>;
  unread: SummaryCount;
  webhooks: {
    active: number;
    paused: number;
    disabled: number;
    backoff: number;
  };
}

interface SummaryCount {
  count: number;
  atLeast: boolean;
}

type TakeSnapshot = (environment: Pick<SimulationEnvironment, 'durable'>) => unknown;

interface TaskApprovalRequestedAccountEvent extends TaskApprovalRequestedEvent$ {
  id: string;
  actor?: EventActor | null;
}

interface TaskApprovalRequestedEvent {
  event: 'task.approval_requested';
  createdAt: string;
  data: TaskData;
}

interface TaskApprovalRequestedEvent$ {
  event: 'task.approval_requested';
  createdAt: string;
  data: TaskData$;
}

interface TaskCompletedAccountEvent extends TaskCompletedEvent$ {
  id: string;
  actor?: EventActor | null;
}

interface TaskCompletedEvent {
  event: 'task.completed';
  createdAt: string;
  data: TaskData;
}

interface TaskCompletedEvent$ {
  event: 'task.completed';
  createdAt: string;
  data: TaskData$;
}

interface TaskData {
  taskId: string;
  orderId: string;
  agentId: string;
}

interface TaskData$ {
  taskId: string;
  orderId: string;
  agentId: string;
}

type TimelineAttempt = Pick<
  DeliveryAttempt,
  'number' | 'startedAt' | 'durationMs' | 'status' | 'error'
>;

interface TimelineChange {
  from: OrderStatus | Other | null;
  to: OrderStatus | Other;
  reason: string | null;
  actor: EventActor | null;
}

interface TimelineDelivery extends Delivery {
  attempts: TimelineAttempt[];
}

interface TimelineEntry {
  change: TimelineChange | null;
  event: TimelineEvent;
  notification: TimelineNotification | null;
  deliveries: TimelineDelivery[];
}

interface TimelineEvent {
  id: string;
  type: EventType$ | Other;
  createdAt: string;
}

interface TimelineNotification {
  id: string;
  read: boolean;
}

declare class TimeoutError extends TradepostError {
  readonly name: 'TimeoutError';
}

declare class Tradepost {
  #private;
  readonly orders: Orders;
  readonly notifications: Notifications;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly partners: Partners;
  readonly account: Accounts;
  readonly summary: Summaries;
  readonly keys: Keys;
  readonly signIn: SignIn;
  constructor(options: TradepostOptions);
  withOptions(options: Partial<TradepostOptions>): Tradepost;
  request<Body = unknown>(
    method: string,
    path: string,
    options?: PathRequestOptions,
  ): ApiPromise<Body>;
}

declare class TradepostError extends Error {
  readonly name: string;
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly problem: Problem | null;
  readonly headers: ResponseHeaders | null;
  readonly body: unknown;
  readonly mayHaveBeenApplied: boolean;
  get extensions(): readonly (Extension | Other)[];
  constructor(message: string, details: TradepostErrorDetails);
}

interface TradepostErrorDetails {
  code: ErrorCode;
  status?: number | null | undefined;
  requestId?: string | null | undefined;
  method?: string | null | undefined;
  path?: string | null | undefined;
  problem?: Problem | null | undefined;
  headers?: ResponseHeaders | null | undefined;
  body?: unknown;
  mayHaveBeenApplied?: boolean | undefined;
  cause?: unknown;
}

interface TradepostHooks {
  onRequest?: ((request: RequestHookEvent) => void | Promise<void>) | undefined;
  onResponse?: ((response: ResponseHookEvent) => void | Promise<void>) | undefined;
  onRetry?: ((retry: RetryHookEvent) => void | Promise<void>) | undefined;
  onError?: ((failure: ErrorHookEvent) => void | Promise<void>) | undefined;
}

interface TradepostLogger {
  debug?: WriteEntry | undefined;
  info?: WriteEntry | undefined;
  warn?: WriteEntry | undefined;
  error?: WriteEntry | undefined;
}

interface TradepostOptions {
  baseUrl: string;
  apiKey: string | (() => string | Promise<string>);
  timeout?: number | undefined;
  deadline?: number | undefined;
  maxRetries?: number | undefined;
  idempotency?: 'detect' | 'assume' | 'off' | undefined;
  maxResponseBytes?: number | undefined;
  defaultHeaders?: Record<string, string> | undefined;
  userAgent?: string | undefined;
  fetch?: Fetch | undefined;
  wait?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  fetchOptions?: object | undefined;
  hooks?: TradepostHooks | undefined;
  logger?: TradepostLogger | undefined;
  validate?: ResponseValidator | undefined;
}

type Underscore<Type extends string> = Type extends `${infer Noun}.${infer Verb}`
  ? `${Noun}_${Verb}`
  : never;

interface UnknownAccountEvent extends UnknownWebhookEvent$ {
  id: string;
  actor?: EventActor | null;
}

interface UnknownWebhookEvent {
  event: Unrecognized;
  createdAt: string;
  data: Record<string, unknown>;
}

interface UnknownWebhookEvent$ {
  event: Unrecognized$;
  createdAt: string;
  data: Record<string, unknown>;
}

declare enum Unrecognized {
  Value = '~unrecognized',
}

declare enum Unrecognized$ {
  Value = '~unrecognized',
}

interface UpdateOrderOptions extends RequestOptions {
  ifMatch?: string | undefined;
}

type UpdatedNotification = Pick<Notification, 'id' | 'read'> & Partial<Notification>;

type UpdatedOrder = Pick<Order, 'id' | 'status'> & Partial<Order>;

declare class ValidationError extends TradepostError {
  readonly name: 'ValidationError';
  readonly errors: ProblemIssue[];
  constructor(message: string, details: TradepostErrorDetails);
}

interface Webhook {
  id: string;
  url: string;
  events: (EventType$ | Other)[];
  status: WebhookStatus | Other;
  description: string | null;
  headerNames: string[];
  attemptsPerMinute: number | null;
  createdAt: string;
  updatedAt: string;
}

interface WebhookCreateParams {
  url: string;
  events: readonly EventType$[];
  description?: string | null | undefined;
  headers?: Record<string, string> | undefined;
  attemptsPerMinute?: number | null | undefined;
}

interface WebhookDetails extends Webhook {
  stagedSecretAt: string | null;
  pendingDeliveries: number;
  consecutiveFailures: number;
  backoffUntil: string | null;
  lastStatus: number | null;
  lastError: string | null;
  failingSince: string | null;
  disabledAt: string | null;
}

interface WebhookDisabledAccountEvent extends WebhookDisabledEvent$ {
  id: string;
  actor?: EventActor | null;
}

interface WebhookDisabledData {
  webhookId: string;
  url: string;
  failingSince: string;
  disabledAt: string;
  lastStatus: number | null;
  lastError: string | null;
}

interface WebhookDisabledData$ {
  webhookId: string;
  url: string;
  failingSince: string;
  disabledAt: string;
  lastStatus: number | null;
  lastError: string | null;
}

interface WebhookDisabledEvent {
  event: 'webhook.disabled';
  createdAt: string;
  data: WebhookDisabledData;
}

interface WebhookDisabledEvent$ {
  event: 'webhook.disabled';
  createdAt: string;
  data: WebhookDisabledData$;
}

type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

type WebhookExpansion = (typeof webhookExpansions)[number];

interface WebhookExpansions {
  stats: DeliveryStats;
}

interface WebhookListParams {
  expand?: WebhookExpansion | readonly WebhookExpansion[] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface WebhookStats {
  webhookId: string;
  since: string;
  until: string;
  bucketSeconds: number;
  points: DeliveryStatsPoint[];
  totals: DeliveryStats;
}

interface WebhookStatsParams {
  window?: StatsWindow | undefined;
}

type WebhookStatus = (typeof webhookStatuses)[number];

interface WebhookUpdateParams {
  url?: string | undefined;
  events?: readonly EventType$[] | undefined;
  status?: WebhookStatus | undefined;
  description?: string | null | undefined;
  headers?: Record<string, string> | undefined;
  attemptsPerMinute?: number | null | undefined;
}

type WebhookVerificationErrorCode =
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

declare class Webhooks {
  #private;
  create(params: WebhookCreateParams, options?: RequestOptions): ApiPromise<CreatedWebhook>;
  list<const Expand extends WebhookExpansion>(
    params: WebhookListParams & {
      expand: Expand | readonly Expand[];
    },
    options?: RequestOptions,
  ): PagePromise<ExpandedWebhook<Expand>>;
  list(params?: WebhookListParams, options?: RequestOptions): PagePromise<WebhookDetails>;
  get(id: string, options?: RequestOptions): ApiPromise<WebhookDetails>;
  stats(
    id: string,
    params?: WebhookStatsParams,
    options?: RequestOptions,
  ): ApiPromise<WebhookStats>;
  update(
    id: string,
    params: WebhookUpdateParams,
    options?: RequestOptions,
  ): ApiPromise<WebhookDetails>;
  delete(id: string, options?: RequestOptions): ApiPromise<void>;
  stageSecret(id: string, options?: RequestOptions): ApiPromise<StagedSecret>;
  promoteSecret(id: string, options?: RequestOptions): ApiPromise<WebhookDetails>;
  test(id: string, params: SendTestEventParams, options?: RequestOptions): ApiPromise<Delivery>;
  replayDeliveries(
    id: string,
    params: ReplayDeliveriesParams,
    options?: RequestOptions,
  ): ApiPromise<ReplayedDeliveries>;
  replayAll(
    id: string,
    params?: ReplayAllParams,
    options?: Omit<RequestOptions, 'idempotencyKey'>,
  ): AsyncIterableIterator<ReplayedDeliveries>;
}

export type Wrapped<Store> = {
  [Name in keyof Store]: Store[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : Store[Name];
};

type WriteEntry = {
  write(message: string, fields: object): void;
}['write'];

declare const accountKinds: readonly ['buyer', 'seller', 'agent'];

declare const allEventTypes: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
  'webhook.disabled',
];

export declare const deliveryEdgeCases: readonly DeliveryEdgeCase[];

export declare const deliveryFaults: readonly DeliveryFault[];

declare const deliveryStates: readonly ['pending', 'delivered', 'failed'];

export declare function edgeCaseDelivery(
  edgeCase: DeliveryEdgeCase,
  { event, ...signing }: EdgeCaseOptions,
): Promise<SignedDelivery>;

declare const edgeCases: {
  readonly bom: (signing: Signing, event: WebhookEvent) => Promise<SignedDelivery>;
  readonly 'invalid-utf-8': (signing: Signing, event: WebhookEvent) => Promise<SignedDelivery>;
  readonly multibyte: (signing: Signing, event: WebhookEvent) => Promise<SignedDelivery>;
  readonly indented: (signing: Signing, event: WebhookEvent) => Promise<SignedDelivery>;
  readonly 'unknown-fields': (signing: Signing, event: WebhookEvent) => Promise<SignedDelivery>;
  readonly plain: (signing: Signing, event: WebhookEvent) => Promise<SignedDelivery>;
  readonly 'staged-secret': (signing: Signing, event: WebhookEvent) => Promise<SignedDelivery>;
};

declare const eventTypes: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
];

export declare const exampleSecret = 'whsec_VHJhZGVwb3N0IGV4YW1wbGUgc2VjcmV0IGZvciB0ZXN0cw==';

declare const extensions: readonly [
  'account',
  'deliveries',
  'deliveries.replays',
  'events',
  'events.actor',
  'keys',
  'notifications.filters',
  'notifications.read',
  'orders.count',
  'orders.etag',
  'orders.expand',
  'orders.filters',
  'orders.reason',
  'orders.sort',
  'orders.timeline',
  'paging',
  'partners',
  'sessions',
  'summary',
  'webhooks.disabling',
  'webhooks.manage',
  'webhooks.secrets',
  'webhooks.settings',
  'webhooks.stats',
  'webhooks.test',
];

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

export declare function formatSimulation(result: SimulationResult): string;

export declare function invalidDelivery(
  fault: DeliveryFault,
  options: InvalidDeliveryOptions,
): Promise<InvalidDelivery>;

declare const keyKinds: readonly ['key', 'session'];

export declare function mockTradepost(options?: MockTradepostOptions): MockTradepost;

declare const orderExpansions: readonly ['buyer', 'seller', 'agent', 'listing', 'etag'];

declare const orderSorts: readonly ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt'];

declare const orderStatuses: readonly [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
];

declare const orderStatuses$: readonly [
  'pending',
  'confirmed',
  'fulfilling',
  'completed',
  'cancelled',
];

export declare function probeReceiver(options: ProbeOptions): Promise<ProbeReport>;

declare const problems: {
  readonly malformed_request: {
    readonly status: 400;
    readonly title: 'The request is malformed';
  };
  readonly malformed_json: {
    readonly status: 400;
    readonly title: 'The body is not valid JSON';
  };
  readonly invalid_cursor: {
    readonly status: 400;
    readonly title: 'The cursor is not valid';
  };
  readonly missing_api_key: {
    readonly status: 401;
    readonly title: 'The API key is missing';
  };
  readonly invalid_api_key: {
    readonly status: 401;
    readonly title: 'The API key is not valid';
  };
  readonly invalid_sign_in_code: {
    readonly status: 401;
    readonly title: 'The sign-in code is not valid';
  };
  readonly account_suspended: {
    readonly status: 403;
    readonly title: 'The account is suspended';
  };
  readonly account_kind_not_allowed: {
    readonly status: 403;
    readonly title: 'This kind of account is not allowed to do this';
  };
  readonly read_only_api_key: {
    readonly status: 403;
    readonly title: 'The API key is read-only';
  };
  readonly session_not_allowed: {
    readonly status: 403;
    readonly title: 'A session is not allowed to do this';
  };
  readonly route_not_found: {
    readonly status: 404;
    readonly title: 'Path not found';
  };
  readonly order_not_found: {
    readonly status: 404;
    readonly title: 'Order not found';
  };
  readonly notification_not_found: {
    readonly status: 404;
    readonly title: 'Notification not found';
  };
  readonly webhook_not_found: {
    readonly status: 404;
    readonly title: 'Webhook not found';
  };
  readonly delivery_not_found: {
    readonly status: 404;
    readonly title: 'Delivery not found';
  };
  readonly event_not_found: {
    readonly status: 404;
    readonly title: 'Event not found';
  };
  readonly key_not_found: {
    readonly status: 404;
    readonly title: 'API key not found';
  };
  readonly method_not_allowed: {
    readonly status: 405;
    readonly title: 'The path does not support this method';
  };
  readonly request_timeout: {
    readonly status: 408;
    readonly title: 'The request took too long to arrive';
  };
  readonly invalid_transition: {
    readonly status: 409;
    readonly title: 'The order cannot move to that status';
  };
  readonly insufficient_quantity: {
    readonly status: 409;
    readonly title: 'The listing does not have enough quantity left';
  };
  readonly webhook_limit_reached: {
    readonly status: 409;
    readonly title: 'The account has reached its webhook limit';
  };
  readonly webhook_deleted: {
    readonly status: 409;
    readonly title: 'The webhook and its secret were deleted';
  };
  readonly webhook_paused: {
    readonly status: 409;
    readonly title: 'The webhook is paused';
  };
  readonly no_staged_secret: {
    readonly status: 409;
    readonly title: 'The webhook has no staged secret';
  };
  readonly key_limit_reached: {
    readonly status: 409;
    readonly title: 'The account has reached its limit of API keys';
  };
  readonly delivery_in_progress: {
    readonly status: 409;
    readonly title: 'An attempt of the delivery is in flight';
  };
  readonly cursor_expired: {
    readonly status: 410;
    readonly title: 'Events after the cursor are no longer stored';
  };
  readonly precondition_failed: {
    readonly status: 412;
    readonly title: 'The order has changed since it was read';
  };
  readonly body_too_large: {
    readonly status: 413;
    readonly title: 'The body is too large';
  };
  readonly unsupported_media_type: {
    readonly status: 415;
    readonly title: 'The content type is not application/json';
  };
  readonly validation_failed: {
    readonly status: 422;
    readonly title: 'The request is not valid';
  };
  readonly listing_not_found: {
    readonly status: 422;
    readonly title: 'Listing not found';
  };
  readonly idempotency_key_reused: {
    readonly status: 422;
    readonly title: 'The idempotency key was used for a different request';
  };
  readonly rate_limited: {
    readonly status: 429;
    readonly title: 'Too many requests';
  };
  readonly headers_too_large: {
    readonly status: 431;
    readonly title: 'The headers are too large';
  };
  readonly internal_error: {
    readonly status: 500;
    readonly title: 'The service failed';
  };
  readonly overloaded: {
    readonly status: 503;
    readonly title: 'The service has too many requests to handle';
  };
  readonly shutting_down: {
    readonly status: 503;
    readonly title: 'The service is shutting down';
  };
  readonly store_unavailable: {
    readonly status: 503;
    readonly title: 'The store is not available';
  };
};

export declare function sampleEvent<Type extends EventType>(
  type: Type,
  { createdAt, data }?: SampleOverrides<Type>,
): EventOf<Type>;

export declare function signDelivery(options: SignDeliveryOptions): Promise<SignedDelivery>;

export declare function simulateDeliveries(options: SimulationOptions): Promise<SimulationResult>;

export declare const simulationFaults: readonly [
  'late',
  'slow',
  'copy',
  'lose',
  'crash',
  'clock',
  'rotation',
  'forged',
];

export declare const simulationInvariants: {
  readonly N1: 'nothing is lost: an acknowledged event has its effect';
  readonly N2: 'an event has its effect once';
  readonly N3: 'every delivery is acknowledged when the faults are over';
  readonly N4: 'a forged delivery has no effect';
  readonly N5: 'the order of deliveries does not change the result';
  readonly N6: 'distinct events are all handled';
  readonly N7: 'every response takes less than 15 seconds';
  readonly N8: 'a new secret loses nothing';
  readonly N9: 'no genuine delivery is refused';
};

declare const statsWindows: readonly ['1h', '24h', '7d'];

declare const statusClasses: readonly ['2xx', '3xx', '4xx', '5xx', 'none'];

declare const webhookExpansions: readonly ['stats'];

declare const webhookStatuses: readonly ['active', 'paused'];
