import { headerNames } from '@tradepost/contract/wire';
import cors from 'cors';
import type { RequestHandler } from 'express';

/** Seconds for which a browser may remember the response to a preflight request. */
const preflightSeconds = 600;

/** The headers that a page may send and read: all of the contract. */
const allHeaders = ['Content-Type', ...Object.values(headerNames)];

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
    allowedHeaders: allHeaders,
    exposedHeaders: allHeaders,
    maxAge: preflightSeconds,
  });
}
