import type { callService } from './programs/call-the-service';

/** The results of the calls, which are the same in every runtime. */
export const expectedResults: Awaited<ReturnType<typeof callService>> = {
  hasMorePages: true,
  status: 201,
  hasRequestId: true,
  listsItFirst: true,
  followsPages: true,
  missing: 'NotFoundError',
  invalid: ['quantity'],
  unreachable: 'ConnectionError',
  aborted: 'AbortError',
};
