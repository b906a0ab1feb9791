/** Seconds for which the service remembers an idempotency key. */
export const idempotencyKeyLifetime = 86_400;

/** Names of the headers of requests and responses, in their documented spelling. */
export const headerNames = {
  /** On a 405: the methods that the path supports. */
  allow: 'Allow',
  /** `Bearer <API_KEY>`, on every request. */
  authorization: 'Authorization',
  /** On the 200 of `PATCH /v1/orders/:id`: whether this request changed the order. */
  changed: 'Tradepost-Changed',
  /** On every response: the names of the extensions that the service has, separated by commas. */
  extensions: 'Tradepost-Extensions',
  /** Version of an order; on every response that has one order. */
  etag: 'ETag',
  /** On `PATCH /v1/orders/:id`: update the order only if its current `ETag` matches. */
  ifMatch: 'If-Match',
  /** On a POST: requests with the same key have one effect and get the same response, for 24 hours. */
  idempotencyKey: 'Idempotency-Key',
  /** On every response: for how many seconds the service remembers idempotency keys. */
  idempotency: 'Tradepost-Idempotency',
  /** Version of an order, as its `ETag` has it: some proxies remove the `ETag` of a response that they compress. */
  orderVersion: 'Tradepost-Order-Version',
  /** `true` on a response that repeats the first response to its idempotency key. */
  idempotentReplayed: 'Idempotent-Replayed',
  /** On a response to a request that created something: its path. */
  location: 'Location',
  /** On every response; a valid one of the request is kept. */
  requestId: 'X-Request-Id',
  /** Requests left in the current window. Source: IETF draft "RateLimit header fields for HTTP". */
  rateLimit: 'RateLimit',
  /** The rate limit of this key. Source: same draft. */
  rateLimitPolicy: 'RateLimit-Policy',
  /** On 429 and 503: seconds to wait. */
  retryAfter: 'Retry-After',
  /** When an endpoint was deprecated (RFC 9745). None is. */
  deprecation: 'Deprecation',
  /** When a deprecated endpoint stops working (RFC 8594). None does. */
  sunset: 'Sunset',
  /** On a 401: how to authenticate. Source: RFC 6750, section 3. */
  wwwAuthenticate: 'WWW-Authenticate',
} as const;

/** Names of the headers that a delivery carries, in their documented spelling. */
export const deliveryHeaderNames = {
  /** Lowercase hex HMAC-SHA256 of the raw body, keyed with the webhook's signing secret. */
  signature: 'Service-Signature',
  /** ID of the event, `evt_<id>`: the same in every attempt. Source: Standard Webhooks. */
  webhookId: 'webhook-id',
  /** When this attempt was sent, in seconds since 1970. Source: Standard Webhooks. */
  webhookTimestamp: 'webhook-timestamp',
  /** `v1,<base64>` over ID, timestamp and body. Source: Standard Webhooks. */
  webhookSignature: 'webhook-signature',
  /** Where the event is: `sequence=1838339443200000, orderVersion=2`. Absent on a test event. */
  position: 'Tradepost-Position',
  /** Lowercase hex HMAC-SHA256 over ID, timestamp, position and body, keyed like `Service-Signature`. */
  positionSignature: 'Tradepost-Position-Signature',
  /** `true` on a test event that the account requested; absent otherwise. For people: `isTestEvent` reads what is signed. */
  test: 'Tradepost-Test',
} as const;
