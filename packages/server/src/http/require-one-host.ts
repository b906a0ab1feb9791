import type { RequestHandler } from 'express';
import { DomainError } from '../domain-error';

/** Refuses requests without exactly one Host header. Source: RFC 9112, section 3.2. */
export const requireOneHost: RequestHandler = (req, _res, next) => {
  // rawHeaders alternates names and values, and keeps what was sent twice.
  const hosts = req.rawHeaders.filter((text, at) => at % 2 === 0 && /^host$/i.test(text));
  if (hosts.length !== 1 && req.httpVersion === '1.1') {
    throw new DomainError(
      'malformed_request',
      `An HTTP/1.1 request has one Host header; this one has ${hosts.length}.`,
    );
  }
  next();
};
