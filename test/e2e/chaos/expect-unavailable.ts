import { expect } from 'vitest';
import type { RawAnswer } from './raw-request';

/** Holds an answer to what the store's being locked or full must look like: DESIGN.md §3, "codes". */
export function expectUnavailable({ status, headers, body }: RawAnswer): void {
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'store_unavailable' });
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}
