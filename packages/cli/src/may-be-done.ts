import { isTradepostError } from '@tradepost/sdk';

/**
 * Whether a change may have been made although no answer says so: the answer was lost, came too late,
 * was that of a proxy, or was none, to the last attempt or to one before it. Not when it is sure that
 * nothing was sent.
 */
export function mayBeDone(error: unknown): boolean {
  if (!isTradepostError(error)) return false;
  const { method, code, status } = error;
  if (method === null || method === 'GET') return false;
  if (error.mayBeDoneBefore) return true;
  if (error.name === 'ConnectionError') return !error.neverSent;
  const isLost = code === 'timeout' || code === 'aborted' || code === 'unreadable_answer';
  return isLost || (status !== null && status >= 500);
}
