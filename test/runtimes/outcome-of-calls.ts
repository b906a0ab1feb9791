import type { callTheService } from './programs/call-the-service';

/** What comes of the calls in every runtime. */
export const outcomeOfCalls: Awaited<ReturnType<typeof callTheService>> = {
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
