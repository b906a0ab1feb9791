import { randomUUID } from 'node:crypto';
import { headerNames } from '@tradepost/contract/wire';
import type { RequestHandler, Response } from 'express';

const sane = /^[A-Za-z0-9._-]{8,128}$/;

/** A new request id, `req_` and 32 hex digits. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** A request's own id if it is a sane one, else a new one. */
export function keepOrMakeRequestId(own: unknown): string {
  return typeof own === 'string' && sane.test(own) ? own : newRequestId();
}

/** Gives every answer an `X-Request-Id`: the request's own if it is a sane one, else a new one. */
export const identifyRequest: RequestHandler = (req, res, next) => {
  res.set(headerNames.requestId, keepOrMakeRequestId(req.get(headerNames.requestId)));
  next();
};

/** The id of the request that an answer belongs to. */
export function requestIdOf(res: Response): string {
  return String(res.getHeader(headerNames.requestId));
}
