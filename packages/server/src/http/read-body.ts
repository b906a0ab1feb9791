import { TextDecoder } from 'node:util';
import express, { type Request, type RequestHandler } from 'express';
import { DomainError } from '../domain-error';

const largestBody = 65_536;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Refuses bytes that are no UTF-8: read leniently, they would be stored as something that was not sent. */
function requireUtf8(_req: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') {
    throw new DomainError('unsupported_media_type', `Send the body as UTF-8, not as ${charset}.`);
  }
  try {
    utf8.decode(body);
  } catch {
    throw new DomainError('malformed_json', 'The body is not valid UTF-8, which JSON must be.');
  }
}

/** Parses JSON bodies of 65,536 bytes at most. Any JSON value passes: the contract says what it must be. */
const parseJson = express.json({ limit: largestBody, strict: false, verify: requireUtf8 });

/** Refuses bodies that are not sent as JSON; without this they would look like missing ones. */
const requireJson: RequestHandler = (req, _res, next) => {
  // Express answers null for a request without a body and false for another type. To it, a body of no bytes is one.
  if (req.is('application/json') === false && req.get('content-length') !== '0') {
    throw new DomainError(
      'unsupported_media_type',
      `Send the body with Content-Type: application/json, not ${req.get('content-type') ?? 'without a type'}.`,
    );
  }
  next();
};

/** Whether a request's method has a body that is read. */
export function hasBody({ method }: Pick<Request, 'method'>): boolean {
  return method === 'POST' || method === 'PATCH';
}

/** Reads the bodies of the methods that have one, and leaves what comes with any other unread. */
export const readBody: RequestHandler[] = [requireJson, parseJson].map(
  (handler): RequestHandler =>
    (req, res, next) =>
      hasBody(req) ? handler(req, res, next) : next(),
);
