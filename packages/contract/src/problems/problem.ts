/**
 * Every problem code, with the status it is answered with and its title. The list is closed: a
 * client may switch on `code`. A code never changes its meaning; new ones may be added.
 */
export const problems = {
  malformed_request: { status: 400, title: 'The request cannot be read' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  bad_cursor: { status: 400, title: 'The cursor is not one this service gave' },
  missing_api_key: { status: 401, title: 'No API key was sent' },
  invalid_api_key: { status: 401, title: 'The API key is not valid' },
  account_kind_not_allowed: { status: 403, title: 'This kind of account may not do this' },
  read_only_api_key: { status: 403, title: 'The API key may only read' },
  route_not_found: { status: 404, title: 'There is no such path' },
  order_not_found: { status: 404, title: 'There is no such order' },
  notification_not_found: { status: 404, title: 'There is no such notification' },
  webhook_not_found: { status: 404, title: 'There is no such webhook' },
  delivery_not_found: { status: 404, title: 'There is no such delivery' },
  method_not_allowed: { status: 405, title: 'The path does not take this method' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  illegal_transition: { status: 409, title: 'The order cannot move to that status' },
  insufficient_quantity: { status: 409, title: 'The listing has too little left' },
  webhook_limit_reached: { status: 409, title: 'The account has as many webhooks as it may' },
  webhook_deleted: { status: 409, title: 'The webhook was deleted, and its secret erased' },
  webhook_paused: { status: 409, title: 'The webhook is paused' },
  no_staged_secret: { status: 409, title: 'The webhook has no staged secret' },
  delivery_in_progress: { status: 409, title: 'An attempt of the delivery is under way' },
  precondition_failed: { status: 412, title: 'The order has changed since it was read' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is not sent as JSON' },
  validation_failed: { status: 422, title: 'The request is not valid' },
  listing_not_found: { status: 422, title: 'There is no such listing' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key belongs to another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal_error: { status: 500, title: 'The service failed' },
  shutting_down: { status: 503, title: 'The service is shutting down' },
  store_unavailable: { status: 503, title: 'The store cannot be reached' },
} as const satisfies Record<string, { status: number; title: string }>;

/** A problem code, the part of an error that programs decide on. */
export type ProblemCode = keyof typeof problems;

/** Every problem code, as a list. */
export const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/** The media type of every error answer. Source: RFC 9457. */
export const problemMediaType = 'application/problem+json';

/** The `type` URI of a problem. It names the problem and is not an address to fetch. */
export function problemType(code: ProblemCode): string {
  return `urn:tradepost:problem:${code}`;
}

/** One thing that was wrong with a request. */
export interface ProblemIssue {
  /** Where: the field's path in the body (`events.0`), or the name of the parameter or header. */
  path: string;
  /** What was wrong, and what is expected. */
  message: string;
}

/** The body of every error answer: `application/problem+json` as RFC 9457 has it. */
export interface Problem {
  /** `urn:tradepost:problem:<code>`. */
  type: string;
  /** A short text, the same for every problem with this code. */
  title: string;
  /** The answer's HTTP status. */
  status: number;
  /** What went wrong this time, and what to do. */
  detail: string;
  /** What kind of problem it is. Decide on this, not on texts. */
  code: ProblemCode;
  /** The request's id, as `X-Request-Id` has it: name it when you ask for help. */
  requestId: string;
  /** What was wrong, field by field; there when the request did not validate. */
  errors?: ProblemIssue[];
}
