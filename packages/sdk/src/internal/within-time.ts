import type { AttemptEnd } from './attempt-end';

/**
 * Lets one attempt go on for so long, and until the caller's signal stops it.
 *
 * @param exchange the attempt: sends the request and reads the whole answer
 * @param timeout milliseconds for all of it
 */
export function withinTime(
  exchange: (stop: AbortSignal) => Promise<AttemptEnd>,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<AttemptEnd> {
  return new Promise((resolve, reject) => {
    // One of its own for each attempt: a signal that has aborted would stop the next one at once.
    const stop = new AbortController();
    // A custom fetch may be deaf to its signal; the first end counts all the same.
    const end = (how: AttemptEnd) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(how);
    };
    const abort = () => {
      end({ kind: 'aborted', reason: signal?.reason });
      stop.abort(signal?.reason);
    };
    signal?.addEventListener('abort', abort);
    const timer = setTimeout(() => {
      end({ kind: 'timeout', after: timeout });
      stop.abort();
    }, timeout);
    exchange(stop.signal).then(end, reject);
  });
}
