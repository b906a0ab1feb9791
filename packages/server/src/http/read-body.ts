import express, { type RequestHandler } from 'express';
import { DomainError } from '../domain-error';

const largestBody = 65_536;

/** Parses JSON bodies of 65,536 bytes at most. Any JSON value passes: the contract says what it must be. */
export const parseJson: RequestHandler = express.json({ limit: largestBody, strict: false });

/** Refuses bodies that are not sent as JSON; without this they would look like missing ones. */
export const requireJson: RequestHandler = (req, _res, next) => {
  // Express answers null for a request without a body and false for another type. To it, a body of no bytes is one.
  if (req.is('application/json') === false && req.get('content-length') !== '0') {
    throw new DomainError(
      'unsupported_media_type',
      `Send the body with Content-Type: application/json, not ${req.get('content-type') ?? 'without a type'}.`,
    );
  }
  next();
};
