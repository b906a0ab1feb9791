/** Names of the headers that requests, answers and deliveries carry, in their documented spelling. */
export const headerNames = {
  /** On a 405: the methods that the path takes. */
  allow: 'Allow',
  /** `Bearer <API_KEY>`, on every request. */
  authorization: 'Authorization',
  /** Version of an order; sent with every order. */
  etag: 'ETag',
  /** On `PATCH /v1/orders/:id`: change it only if its `ETag` is still this one. */
  ifMatch: 'If-Match',
  /** On a POST: two requests with one key have one effect and one answer, for 24 hours. */
  idempotencyKey: 'Idempotency-Key',
  /** `true` on an answer that repeats the first answer to its idempotency key. */
  idempotentReplayed: 'Idempotent-Replayed',
  /** On an answer to a request that created something: where that is. */
  location: 'Location',
  /** On every answer; a sane one in the request is kept. */
  requestId: 'X-Request-Id',
  /** How many requests are left in the current window. Source: IETF RateLimit header fields. */
  rateLimit: 'RateLimit',
  /** The limit that holds for this key. */
  rateLimitPolicy: 'RateLimit-Policy',
  /** On 429 and 503: seconds to wait. */
  retryAfter: 'Retry-After',
  /** When an endpoint was deprecated (RFC 9745). No endpoint is, today. */
  deprecation: 'Deprecation',
  /** When a deprecated endpoint stops to answer (RFC 8594). No endpoint does, today. */
  sunset: 'Sunset',
  /** On a 401: how to authenticate. Source: RFC 6750, section 3. */
  wwwAuthenticate: 'WWW-Authenticate',
} as const;

/** Names of the headers that each delivery carries, in their documented spelling. */
export const deliveryHeaderNames = {
  /** Lowercase hex HMAC-SHA256 of the raw body, keyed with the endpoint secret. */
  signature: 'Service-Signature',
  /** The event's id, `evt_<id>`: the same in every attempt. Source: Standard Webhooks. */
  webhookId: 'webhook-id',
  /** When this attempt was made, in seconds since 1970. Source: Standard Webhooks. */
  webhookTimestamp: 'webhook-timestamp',
  /** `v1,<base64>` over id, timestamp and body. Source: Standard Webhooks. */
  webhookSignature: 'webhook-signature',
  /** `true` on a sample that the account asked for; else it is not there. */
  test: 'Tradepost-Test',
} as const;
