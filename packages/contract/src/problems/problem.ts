/**
 * Every problem code of this version, with its HTTP status and title. Later versions may add codes, so a
 * `switch` on `code` needs a default. A code never changes its meaning.
 */
export const problems = {
  malformed_request: { status: 400, title: 'The request is malformed' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_cursor: { status: 400, title: 'The cursor is not valid' },
  missing_api_key: { status: 401, title: 'The API key is missing' },
  invalid_api_key: { status: 401, title: 'The API key is not valid' },
  invalid_sign_in_code: { status: 401, title: 'The sign-in code is not valid' },
  account_suspended: { status: 403, title: 'The account is suspended' },
  account_kind_not_allowed: {
    status: 403,
    title: 'This kind of account is not allowed to do this',
  },
  read_only_api_key: { status: 403, title: 'The API key is read-only' },
  session_not_allowed: { status: 403, title: 'A session is not allowed to do this' },
  route_not_found: { status: 404, title: 'Path not found' },
  order_not_found: { status: 404, title: 'Order not found' },
  notification_not_found: { status: 404, title: 'Notification not found' },
  webhook_not_found: { status: 404, title: 'Webhook not found' },
  delivery_not_found: { status: 404, title: 'Delivery not found' },
  event_not_found: { status: 404, title: 'Event not found' },
  key_not_found: { status: 404, title: 'API key not found' },
  method_not_allowed: { status: 405, title: 'The path does not support this method' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  invalid_transition: { status: 409, title: 'The order cannot move to that status' },
  insufficient_quantity: { status: 409, title: 'The listing does not have enough quantity left' },
  webhook_limit_reached: { status: 409, title: 'The account has reached its webhook limit' },
  webhook_deleted: { status: 409, title: 'The webhook and its secret were deleted' },
  webhook_paused: { status: 409, title: 'The webhook is paused' },
  no_staged_secret: { status: 409, title: 'The webhook has no staged secret' },
  key_limit_reached: { status: 409, title: 'The account has reached its limit of API keys' },
  delivery_in_progress: { status: 409, title: 'An attempt of the delivery is in flight' },
  cursor_expired: { status: 410, title: 'Events after the cursor are no longer stored' },
  precondition_failed: { status: 412, title: 'The order has changed since it was read' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not application/json' },
  validation_failed: { status: 422, title: 'The request is not valid' },
  listing_not_found: { status: 422, title: 'Listing not found' },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for a different request',
  },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal_error: { status: 500, title: 'The service failed' },
  overloaded: { status: 503, title: 'The service has too many requests to handle' },
  shutting_down: { status: 503, title: 'The service is shutting down' },
  store_unavailable: { status: 503, title: 'The store is not available' },
} as const satisfies Record<string, { status: number; title: string }>;

/** A problem code: the part of an error that programs branch on. */
export type ProblemCode = keyof typeof problems;

/** Every problem code, as a list. */
export const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/** The media type of every error response. Source: RFC 9457. */
export const problemMediaType = 'application/problem+json';

/** Builds the `type` URI of a problem. It identifies the problem; it is not an address to fetch. */
export function problemType(code: ProblemCode): string {
  return `urn:tradepost:problem:${code}`;
}

/** One invalid part of a request. */
export interface ProblemIssue {
  /**
   * The path of the field in the body (`events.0`), or the name of the parameter or header; `""` for an empty name. Empty: the
   * body itself.
   */
  path: string;
  /** What is wrong, and what is expected. */
  message: string;
}

/** The body of every error response: `application/problem+json`. Source: RFC 9457. */
export interface Problem {
  /** `urn:tradepost:problem:<code>`. */
  type: string;
  /** A short text, the same for every problem with this code. */
  title: string;
  /** HTTP status of the response, 400 to 599. */
  status: number;
  /** What failed in this request, and what to do. */
  detail: string;
  /** The problem code. Branch on this, not on texts. */
  code: ProblemCode;
  /** ID of the request, the same as `X-Request-Id`. Include it when you contact support. */
  requestId: string;
  /** The invalid fields, if the request failed validation. */
  errors?: ProblemIssue[];
}
