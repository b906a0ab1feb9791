import { ConnectionError, ServerError, TimeoutError, ValidationError } from '@tradepost/sdk';
import { expect, test } from 'vitest';
import { describeError } from '../src/ui/describe-error';

/** A problem as the service sends it. */
function aProblem(code: string, detail: string, errors?: { path: string; message: string }[]) {
  const problem = {
    type: `urn:tradepost:problem:${code}`,
    title: code,
    status: 422,
    requestId: '',
  };
  return { code, status: 422, problem: { ...problem, code, detail, ...(errors && { errors }) } };
}

test('a failed connection is said without the options of the SDK', () => {
  const sdk = 'GET /v1/orders failed: Failed to fetch. Check baseUrl and the network.';
  const details = { code: 'connection_failed', notSent: false } as const;
  expect(describeError(new ConnectionError(sdk, details))).toMatch(
    /^The service cannot be reached[.] Check /,
  );
  const late = new TimeoutError('no response within timeout', { code: 'timeout' });
  expect(describeError(late)).toBe('The service took too long to respond. Try again in a moment.');
});

test('an error page of a proxy is said with its status', () => {
  const error = new ServerError('GET /v1/orders failed with 502', {
    ...{ code: 'http_error', status: 502, retryAfter: null },
  });
  expect(describeError(error)).toMatch(/did not respond as it should[.].* [(]Status 502[)]$/);
});

test('invalid values are said by the labels of their fields', () => {
  const details = aProblem('validation_failed', 'listingId: is no ID. since: must be …', [
    { path: 'listingId', message: 'must be an ID' },
    { path: 'since', message: 'must be an ISO 8601 timestamp with seconds and an offset' },
    { path: 'events.0', message: 'must be one of order.created' },
    { path: 'constructor', message: 'is not known' },
  ]);
  expect(describeError(new ValidationError('rejected', details))).toBe(
    'Listing: must be an ID. From: must be a time. Events: must be one of order.created. constructor: is not known.',
  );
});

test('what the service says in words for everyone stays as it is', () => {
  const details = aProblem('listing_not_found', 'Listing lst_1 does not exist.');
  expect(describeError(new ValidationError('rejected', details))).toBe(
    'Listing lst_1 does not exist.',
  );
  expect(describeError(new TypeError('x is not a function'))).toBe('x is not a function');
  expect(describeError('a text')).toBe('Something failed.');
});
