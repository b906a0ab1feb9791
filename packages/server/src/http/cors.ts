import { headerNames } from '@tradepost/contract/wire';
import cors from 'cors';
import type { RequestHandler } from 'express';

/** Seconds for which a browser may remember the response to a preflight request. */
const preflightSeconds = 600;

/** The headers that a page may read: all of the contract. */
const exposedHeaders = ['Content-Type', ...Object.values(headerNames)];

/**
 * Lets web pages of these origins call the API: it responds to preflight requests, and marks all responses,
 * also errors, as readable.
 *
 * @param origins such as `https://app.example`; `*` for all
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    // All headers that a page requests are allowed: the client sends `User-Agent`, which some browsers list, and
    // programs add their own, such as `traceparent`.
    exposedHeaders,
    maxAge: preflightSeconds,
  });
}
