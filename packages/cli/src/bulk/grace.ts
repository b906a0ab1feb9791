import { setMaxListeners } from 'node:events';

/** Time for what is under way when a command is interrupted. */
interface Grace {
  /** Does work that is waited for. It may end early, and leave open what was done, when the signal aborts. */
  during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Ends it: nothing is under way any more. */
  end(): void;
}

/** In milliseconds: longer than an answer takes, and no longer than a person waits. */
const usualGrace = 10_000;

/**
 * Lets changes that are under way come to their end after an interruption, so that they are not in
 * doubt, but not for ever: a service may be hung.
 *
 * @param interrupted aborts when the command is to end
 * @param tell is called then, when something is under way
 * @param milliseconds how long it may take; 10 s unless told
 */
export function graceAfter(
  interrupted: AbortSignal,
  tell: () => void,
  milliseconds = usualGrace,
): Grace {
  const patience = new AbortController();
  // Each request that is under way listens to it.
  setMaxListeners(0, patience.signal);
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;
  const onInterrupt = () => {
    if (underWay === 0) return;
    tell();
    timer = setTimeout(() => patience.abort(), milliseconds);
  };
  interrupted.addEventListener('abort', onInterrupt, { once: true });
  return {
    async during(work) {
      underWay += 1;
      try {
        return await work(patience.signal);
      } finally {
        underWay -= 1;
      }
    },
    end() {
      clearTimeout(timer);
      interrupted.removeEventListener('abort', onInterrupt);
    },
  };
}

/** What is said when something is under way. */
export const finishingNote = 'Finishing what is under way. Ctrl-C again ends at once.';
