import { onAbort } from './on-abort';

/** How work ended that had not finished: by the caller's signal, or by its timeout in milliseconds. */
export type Interrupted = { kind: 'aborted'; reason: unknown } | { kind: 'timeout'; after: number };

/**
 * Runs some work with a timeout, until the caller's signal aborts. The first outcome counts, since the work, such
 * as a custom fetch, may ignore its signal.
 *
 * @param run gets a signal that aborts when the work is to stop
 * @param timeout milliseconds for all of it
 */
export function withTimeout<Result>(
  run: (stop: AbortSignal) => Promise<Result>,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Result | Interrupted> {
  return new Promise((resolve, reject) => {
    // One controller each: an aborted signal would end the next attempt immediately.
    const stop = new AbortController();
    const stopListening =
      signal &&
      onAbort(signal, () => {
        release();
        resolve({ kind: 'aborted', reason: signal.reason });
        stop.abort(signal.reason);
      });
    const timer = setTimeout(() => {
      release();
      resolve({ kind: 'timeout', after: timeout });
      stop.abort();
    }, timeout);
    const release = () => {
      clearTimeout(timer);
      stopListening?.();
    };
    run(stop.signal).then(
      (result) => {
        release();
        resolve(result);
      },
      (error) => {
        release();
        reject(error);
      },
    );
  });
}
