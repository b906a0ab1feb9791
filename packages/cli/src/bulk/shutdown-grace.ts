import { setMaxListeners } from 'node:events';
import type { CliContext } from '../context';

export const finishingNotice = 'Finishing requests in flight. Press Ctrl-C again to quit now.';

/** Longer than a response takes, and no longer than a person waits. */
const defaultShutdownGraceMs = 10_000;

/**
 * Lets changes in flight complete after an interruption, so that their outcome is known. The time is
 * limited, since the service may hang.
 *
 * @param onInterrupt called on an interruption while something is in flight
 */
export function createShutdownGrace(
  { signal, wait }: Pick<CliContext, 'signal' | 'wait'>,
  onInterrupt: () => void,
  milliseconds = defaultShutdownGraceMs,
) {
  const over = new AbortController();
  const ended = new AbortController();
  // Every request in flight listens to it.
  setMaxListeners(0, over.signal);
  let inFlight = 0;
  const onAbort = () => {
    if (inFlight === 0) return;
    onInterrupt();
    void wait(milliseconds, ended.signal).then(() => {
      if (!ended.signal.aborted) over.abort();
    });
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    /** Runs work whose signal aborts when the grace period is over. */
    async during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
      inFlight += 1;
      try {
        return await work(over.signal);
      } finally {
        inFlight -= 1;
      }
    },
    /** Ends the grace period: nothing is in flight any more. */
    end(): void {
      ended.abort();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
