import {
  headerNames,
  type Problem,
  type ProblemCode,
  type ProblemIssue,
  problemMediaType,
  problems,
  problemType,
} from '@tradepost/contract/wire';
import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { blotOutKeys } from '../blot-out-keys';
import { DomainError } from '../domain-error';
import { StoreUnavailableError } from '../store-unavailable-error';
import { requestIdOf } from './request-id';

/** What is wrong with one request, before it is an answer. */
export interface Trouble {
  code: ProblemCode;
  detail: string;
  issues?: ProblemIssue[] | undefined;
}

const secondsUntilRetry = 1;

/** The body of an error answer, as RFC 9457 has it. */
export function problemOf({ code, detail, issues }: Trouble, requestId: string): Problem {
  const { status, title } = problems[code];
  const errors = issues === undefined ? {} : { errors: issues };
  return {
    type: problemType(code),
    title,
    status,
    detail: blotOutKeys(detail),
    code,
    requestId,
    ...errors,
  };
}

/** Answers with a problem, as `application/problem+json`, with the headers that its status calls for. */
export function sendProblem(res: Response, trouble: Trouble): void {
  const problem = problemOf(trouble, requestIdOf(res));
  if (problem.status === 401) {
    const error = trouble.code === 'invalid_api_key' ? ', error="invalid_token"' : '';
    res.set('WWW-Authenticate', `Bearer realm="tradepost"${error}`);
  }
  const isTemporary = problem.status === 503 || problem.status === 429;
  // The rate limiter says itself when its window ends.
  if (isTemporary && !res.hasHeader(headerNames.retryAfter)) {
    res.set(headerNames.retryAfter, String(secondsUntilRetry));
  }
  res.status(problem.status).set('Content-Type', problemMediaType);
  res.send(Buffer.from(JSON.stringify(problem)));
}

/** What the body parser and Express say of requests that they cannot read, by their error's `type` or status. */
function unreadable(error: Error & { type?: unknown; status?: unknown }): Trouble | null {
  switch (error.type) {
    case 'entity.parse.failed':
      return {
        code: 'malformed_json',
        detail: `The body is not valid JSON: ${error.message}. Mend it and send it again.`,
      };
    case 'entity.too.large':
      return { code: 'body_too_large', detail: 'The body may hold 65,536 bytes at most.' };
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return {
        code: 'unsupported_media_type',
        detail: `${error.message}. Send the body as UTF-8 JSON, plain or with gzip, deflate or br.`,
      };
  }
  // An escape in the path that is none: no path of ours has it.
  if (error.message.startsWith('Failed to decode param')) {
    return { code: 'route_not_found', detail: 'There is no such path: an escape in it is broken.' };
  }
  if (error.status === 400) {
    return { code: 'malformed_request', detail: `The request cannot be read: ${error.message}.` };
  }
  return null;
}

function troubleOf(error: unknown): Trouble | null {
  if (error instanceof DomainError) return error;
  if (error instanceof StoreUnavailableError) {
    return {
      code: 'store_unavailable',
      detail:
        'The store cannot be reached now. Nothing was changed; send the request again shortly.',
    };
  }
  return error instanceof Error ? unreadable(error) : null;
}

/** The one place where errors become answers. What it does not know is a 500, logged and told without a word of it. */
export function handleErrors(log: Logger): ErrorRequestHandler {
  return (error, _req, res, next) => {
    // Work that ended because its client had disconnected: there is nobody to respond to, and nothing failed.
    if (res.closed && error instanceof DOMException && error.name === 'AbortError') return;
    const trouble = troubleOf(error);
    if (trouble === null || error instanceof StoreUnavailableError) {
      log.error({ err: error, requestId: requestIdOf(res) }, 'request failed');
    }
    if (res.headersSent) {
      next(error);
      return;
    }
    sendProblem(
      res,
      trouble ?? {
        code: 'internal_error',
        detail: `The service failed, which is not your request's fault. Name request ${requestIdOf(res)} when you report it.`,
      },
    );
  };
}
