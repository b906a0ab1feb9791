import type { Problem } from '@tradepost/contract/wire';
import {
  DomainError,
  OutcomeUnknownError,
  StoreUnavailableError,
} from '@tradepost/domain/kernel/errors';
import {
  bodyTooLarge,
  buildProblem,
  malformedJson,
  type ProblemInput,
  problemHeaders,
} from '@tradepost/domain/problems';
import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { redactSecrets } from '../kernel/redact';
import { getRequestId } from './request-log';

/** Builds the body of an error response, without secrets that its detail may repeat. */
export function buildRedactedProblem(input: ProblemInput, requestId: string): Problem {
  return buildProblem({ ...input, detail: redactSecrets(input.detail) }, requestId);
}

/** Responds with a problem as `application/problem+json` and the headers of its status. Needs nothing of Express. */
export function sendProblem(res: Response, input: ProblemInput): void {
  const problem = buildRedactedProblem(input, getRequestId(res));
  for (const [name, value] of Object.entries({ ...problemHeaders(input.code), ...input.headers })) {
    res.setHeader(name, value);
  }
  const text = JSON.stringify(problem);
  res.statusCode = problem.status;
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/** Converts errors of the body parser and of Express, by their `type` or status. */
function toRequestProblem(
  error: Error & { type?: unknown; status?: unknown },
): ProblemInput | null {
  switch (error.type) {
    case 'entity.parse.failed':
      return malformedJson(error.message);
    case 'entity.too.large':
      return bodyTooLarge();
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
