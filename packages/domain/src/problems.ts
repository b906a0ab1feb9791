import {
  extensions,
  headerNames,
  idempotencyKeyLifetime,
  type Problem,
  type ProblemCode,
  type ProblemIssue,
  problemMediaType,
  problems,
  problemType,
} from '@tradepost/contract/wire';
import { DomainError } from './kernel/errors';

/** A problem before it is completed for a response. */
export interface ProblemInput {
  code: ProblemCode;
  detail: string;
  issues?: ProblemIssue[] | undefined;
  /** More headers of the response. */
  headers?: Record<string, string> | undefined;
}

/** The headers of every response, besides its request ID. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  [headerNames.extensions]: extensions.join(', '),
  // Clients repeat a POST whose response was lost only if they know this.
  [headerNames.idempotency]: String(idempotencyKeyLifetime),
};

/** Request IDs that clients may choose. */
export const requestIdPattern = /^[A-Za-z0-9._-]{8,128}$/;

/** Builds the body of an error response. Source: RFC 9457. */
export function buildProblem({ code, detail, issues }: ProblemInput, requestId: string): Problem {
  const { status, title } = problems[code];
  const errors = issues === undefined ? {} : { errors: issues };
  return {
    type: problemType(code),
    title,
    status,
    detail,
    code,
    requestId,
    ...errors,
  };
}

/** Seconds after which a request that was rejected for now may be sent again, unless the response says otherwise. */
const retryAfterSeconds = 1;

/** Returns the headers that a problem has by its code. */
export function problemHeaders(code: ProblemCode): Record<string, string> {
  const { status } = problems[code];
  const error = code === 'invalid_api_key' ? ', error="invalid_token"' : '';
  const isTemporary = status === 503 || status === 429;
  return {
    'Content-Type': problemMediaType,
    ...(status === 401 && { [headerNames.wwwAuthenticate]: `Bearer realm="tradepost"${error}` }),
    ...(isTemporary && { [headerNames.retryAfter]: String(retryAfterSeconds) }),
  };
}

/** The error for a body that is not valid JSON. */
export function malformedJson(reason: string): DomainError {
  return new DomainError(
    'malformed_json',
    `The body is not valid JSON: ${reason}. Correct it and send it again.`,
  );
}

/** The error for a body that is too large. */
export function bodyTooLarge(): DomainError {
  return new DomainError('body_too_large', 'The body must not exceed 65,536 bytes.');
}

/**
 * The error for a body that is not sent as JSON.
 *
 * @param type The `Content-Type` of the request, if it has one.
 */
export function notJson(type: string | undefined): DomainError {
  const what = type ? `The Content-Type is ${type}` : 'The request has no Content-Type';
  return new DomainError(
    'unsupported_media_type',
    `${what}. Send the body with Content-Type: application/json.`,
  );
}

/** The error for a method that a path does not support. */
export function methodNotAllowed(path: string, method: string, allow: string): DomainError {
  return new DomainError(
    'method_not_allowed',
    `${path} does not support ${method}. Allowed: ${allow}.`,
    undefined,
    { [headerNames.allow]: allow },
  );
}

/**
 * The error for a path that does not exist.
 *
 * @param more What else there is, after the paths of the API.
 */
export function routeNotFound(path: string, more = ''): DomainError {
  const known =
    'The API has /v1/orders, /v1/notifications, /v1/webhooks, /v1/deliveries, /v1/events, /v1/partners, /v1/account, /v1/keys, /v1/sign-in-codes and /v1/sessions';
  return new DomainError('route_not_found', `${path} does not exist. ${known}${more}.`);
}

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** Unknown field names, if those are the issue. */
  keys?: readonly string[];
}

interface ValidationResult {
  issues: readonly Issue[];
}

/** The four parts of a request: as sent, or the results of their validation. */
interface RequestParts<Part> {
  pathParams: Part;
  query: Part;
  headers: Part;
  body: Part;
}

/** Unknown names are shortened, so that no response is larger than its request. */
const maxNameLength = 64;

function getKeys(issue: Issue): PropertyKey[] {
  return (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
}

function getValue(source: unknown, keys: PropertyKey[]): unknown {
  let value = source;
  for (const key of keys) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}

/** An empty name is written as `""`, because an empty path is that of the body itself. */
function formatPath(keys: PropertyKey[]): string {
  return keys.map((key) => (key === '' ? '""' : String(key))).join('.');
}

function listIssues(part: ValidationResult | null, source: unknown): ProblemIssue[] {
  return (part?.issues ?? []).flatMap((issue) => {
    const keys = getKeys(issue);
    if (issue.keys !== undefined) {
      return issue.keys.map((key) => ({
        path: formatPath([...keys, key.slice(0, maxNameLength)]),
        message: issue.message,
      }));
    }
    const value = getValue(source, keys);
    const message = value === undefined ? `is required and ${issue.message}` : issue.message;
    return [{ path: formatPath(keys), message }];
  });
}

/** Replaces the issue of a repeated query parameter, which arrives as an array. */
function deduplicate(issue: ProblemIssue, query: unknown): ProblemIssue {
  return Array.isArray(getValue(query, [issue.path]))
    ? { path: issue.path, message: 'was sent more than once; send it once' }
    : issue;
}

const maxIssues = 50;
const maxIssuesInDetail = 5;

/** Converts a failed validation to a problem with the issues of each field, up to 50. */
export function toValidationProblem(
  results: RequestParts<ValidationResult | null>,
  sent: RequestParts<unknown>,
): ProblemInput {
  const issues = [
    ...listIssues(results.pathParams, sent.pathParams),
    ...listIssues(results.query, sent.query).map((issue) => deduplicate(issue, sent.query)),
    ...listIssues(results.headers, sent.headers),
    ...listIssues(results.body, sent.body),
  ].slice(0, maxIssues);
  const sentences = issues
    .slice(0, maxIssuesInDetail)
    .map(({ path, message }) => `${path || 'body'}: ${message}`);
  if (issues.length > maxIssuesInDetail) sentences.push('More in errors');
  return { code: 'validation_failed', detail: `${sentences.join('. ')}.`, issues };
}
