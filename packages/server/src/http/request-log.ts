import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headerNames } from '@tradepost/contract/wire';
import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Caller } from '../features/accounts/account';

const requestIdPattern = /^[A-Za-z0-9._-]{8,128}$/;

/** Creates a request ID: `req_` and 32 hex digits. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** Returns the request's own ID if it is valid, otherwise a new one. */
export function resolveRequestId(ownId: unknown): string {
  return typeof ownId === 'string' && requestIdPattern.test(ownId) ? ownId : newRequestId();
}

/** Sets the `X-Request-Id` of every response: the request's own if it is valid, otherwise a new one. */
export const assignRequestId: RequestHandler = (req, res, next) => {
  res.set(headerNames.requestId, resolveRequestId(req.get(headerNames.requestId)));
  next();
};

/** Returns the request ID of a response. */
export function getRequestId(res: Response): string {
  return String(res.getHeader(headerNames.requestId));
}

/** A request with a response, as metrics count it. */
export interface CompletedRequest {
  method: string;
  /** The route template, such as `/v1/orders/:id`; null for a path without an endpoint. */
  route: string | null;
  /** HTTP status of the response. */
  status: number;
}

/** Describes a request after Express has matched its route. */
export function describeRequest(
  request: IncomingMessage & { route?: { path?: unknown } },
  response: ServerResponse,
): CompletedRequest {
  const path = request.route?.path;
  return {
    method: request.method ?? '',
    route: typeof path === 'string' ? path : null,
    status: response.statusCode,
  };
}

/** Logs each request after its response: caller, path, status and duration, but no headers or bodies. */
export function logRequests(log: Logger): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    res.once('close', () => {
      const caller = res.locals.caller as Caller | undefined;
      log.info(
        {
          requestId: getRequestId(res),
          method: req.method,
          path: redactSecrets(req.path),
          status: res.statusCode,
          durationMs: Math.round((performance.now() - started) * 10) / 10,
          ...(caller && { accountId: caller.accountId, keyId: caller.keyId }),
          ...(!res.writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

/**
 * Redacts API keys and endpoint secrets in a text, such as a path in which a client sent a key in place of an ID, before it is
 * logged or returned.
 */
export function redactSecrets(text: string): string {
  return text.replace(/(tpk|whsec)_[\w+/=%-]{8,}/g, '$1_…');
}
