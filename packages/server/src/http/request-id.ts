import { randomUUID } from 'node:crypto';
import { headerNames } from '@tradepost/contract';
import type { RequestHandler, Response } from 'express';

const sane = /^[A-Za-z0-9._-]{8,128}$/;

/** A new request id, `req_` and 32 hex digits. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** Gives every answer an `X-Request-Id`: the request's own if it is a sane one, else a new one. */
export const identifyRequest: RequestHandler = (req, res, next) => {
  const own = req.get(headerNames.requestId);
  res.set(headerNames.requestId, own !== undefined && sane.test(own) ? own : newRequestId());
  next();
};

/** The id of the request that an answer belongs to. */
export function requestIdOf(res: Response): string {
  return String(res.getHeader(headerNames.requestId));
}
