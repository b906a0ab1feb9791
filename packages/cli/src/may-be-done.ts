import { isTradepostError } from '@tradepost/sdk';

/** What is refused before the request is sent: the certificate of who answers, or no TLS at all. */
const beforeTheRequest =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|ERR_SSL_WRONG_VERSION)/;

/**
 * Whether a change may have been made although no answer says so: the answer was lost, came too late,
 * was that of a proxy, or was none, to the last attempt or to one before it. Not when it is sure that
 * nothing was sent.
 */
export function mayBeDone(error: unknown): boolean {
  if (!isTradepostError(error)) return false;
  const { method, code, status, cause } = error;
  if (method === null || method === 'GET') return false;
  if (error.mayBeDoneBefore) return true;
  if (code === 'connection_failed') return !isUnsent(cause);
  const isLost = code === 'timeout' || code === 'aborted' || code === 'unreadable_answer';
  return isLost || (status !== null && status >= 500);
}

/** Whether a connection did not come about, so that nothing went over it. */
function isUnsent(cause: unknown, depth = 0): boolean {
  if (!(cause instanceof Error) || depth > 8) return false;
  // Several addresses were tried and each failed: the first speaks for all.
  const below: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  if (below instanceof Error) return isUnsent(below, depth + 1);
  const { code = '', syscall = '' } = cause as Error & { code?: unknown; syscall?: unknown };
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    // One that `fetch` connects to never, such as 25.
    cause.message === 'bad port' ||
    beforeTheRequest.test(String(code))
  );
}
