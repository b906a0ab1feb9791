import { expect } from 'vitest';
import type { RawResponse } from './raw-request';

/** Expects the response for a store that is locked, full or missing. */
export function expectUnavailable({ status, headers, body }: RawResponse): void {
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'store_unavailable' });
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}
