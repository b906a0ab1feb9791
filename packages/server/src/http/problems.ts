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
import {
  DomainError,
  OutcomeUnknownError,
  StoreUnavailableError,
} from '@tradepost/domain/kernel/errors';
import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { redactSecrets } from '../kernel/redact';
import { getRequestId } from './request-log';

/** A problem before it is completed for a response. */
export interface ProblemInput {
  code: ProblemCode;
  detail: string;
  issues?: ProblemIssue[] | undefined;
}

/** The headers of every response, besides its request ID. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  [headerNames.extensions]: extensions.join(', '),
  // Clients repeat a POST whose response was lost only if they know this.
  [headerNames.idempotency]: String(idempotencyKeyLifetime),
};

const retryAfterSeconds = 1;

/** Builds the body of an error response. Source: RFC 9457. */
export function buildProblem({ code, detail, issues }: ProblemInput, requestId: string): Problem {
  const { status, title } = problems[code];
  const errors = issues === undefined ? {} : { errors: issues };
  return {
    type: problemType(code),
    title,
    status,
    detail: redactSecrets(detail),
    code,
    requestId,
    ...errors,
  };
}

/** Responds with a problem as `application/problem+json` and the headers of its status. Needs nothing of Express. */
export function sendProblem(res: Response, input: ProblemInput): void {
  const problem = buildProblem(input, getRequestId(res));
  if (problem.status === 401) {
    const error = input.code === 'invalid_api_key' ? ', error="invalid_token"' : '';
    res.setHeader('WWW-Authenticate', `Bearer realm="tradepost"${error}`);
  }
  const isTemporary = problem.status === 503 || problem.status === 429;
  // The rate limiter sets the end of its window itself.
  if (isTemporary && !res.hasHeader(headerNames.retryAfter)) {
    res.setHeader(headerNames.retryAfter, String(retryAfterSeconds));
  }
  const text = JSON.stringify(problem);
  res.statusCode = problem.status;
  res.setHeader('Content-Type', problemMediaType);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/** The error for a body that is not valid JSON. */
export function malformedJson(reason: string): DomainError {
  return new DomainError(
    'malformed_json',
    `The body is not valid JSON: ${reason}. Correct it and send it again.`,
  );
}

/** Converts errors of the body parser and of Express, by their `type` or status. */
function toRequestProblem(
  error: Error & { type?: unknown; status?: unknown },
): ProblemInput | null {
  switch (error.type) {
    case 'entity.parse.failed':
      return malformedJson(error.message);
    case 'entity.too.large':
      return { code: 'body_too_large', detail: 'The body must not exceed 65,536 bytes.' };
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return {
        code: 'unsupported_media_type',
        detail: `${error.message}. Send the body as UTF-8 JSON, uncompressed or with gzip, deflate or br.`,
      };
  }
  // The path has an invalid percent-encoding, so it is not a path of the API.
  if (error.message.startsWith('Failed to decode param')) {
    return { code: 'route_not_found', detail: 'The path has an invalid percent-encoding.' };
  }
  if (error.status === 400) {
    return { code: 'malformed_request', detail: `The request is malformed: ${error.message}.` };
  }
  return null;
}

function toProblem(error: unknown): ProblemInput | null {
  if (error instanceof DomainError) return error;
  if (error instanceof OutcomeUnknownError) {
    return {
      code: 'store_unavailable',
      detail:
        'The store became unavailable while the change was committed, so it may have been made. Read the resource, or repeat the request with the same Idempotency-Key.',
    };
  }
  if (error instanceof StoreUnavailableError) {
    return {
      code: 'store_unavailable',
      detail: 'The store is unavailable. Nothing was changed; send the request again shortly.',
    };
  }
  return error instanceof Error ? toRequestProblem(error) : null;
}

/** The only place where errors become responses. An unknown error is logged, and its response is a 500 without details. */
export function handleErrors(log: Logger): ErrorRequestHandler {
  return (error, _req, res, next) => {
    // The client has disconnected and its work was cancelled: there is no response to send, and nothing failed.
    if (res.closed && error instanceof DOMException && error.name === 'AbortError') return;
    const problem = toProblem(error);
    if (problem === null || error instanceof StoreUnavailableError) {
      log.error({ err: error, requestId: getRequestId(res) }, 'request failed');
    }
    if (res.headersSent) {
      next(error);
      return;
    }
    sendProblem(
      res,
      problem ?? {
        code: 'internal_error',
        detail: `The service failed because of an internal error. Report it with request ID ${getRequestId(res)}.`,
      },
    );
  };
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
