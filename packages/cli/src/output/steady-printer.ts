import type { OutputStream } from '../terminal';
import { writeData } from './write';

/** What prints as long as that can be done, and lets the work go on when it cannot. */
interface SteadyPrinter {
  /** Prints a text, unless an earlier one could not be printed. It never rejects. */
  print(text: () => string | Promise<string>): Promise<void>;
  /** Why it prints no more; null when it does. */
  failure(): unknown;
}

/**
 * Makes what prints what comes of changes, one after the other. A change is not left undone since the
 * one before it could not be printed.
 */
export function steadyPrinter(stdout: OutputStream): SteadyPrinter {
  let failure: unknown = null;
  return {
    async print(text) {
      if (failure !== null) return;
      try {
        await writeData(stdout, await text());
      } catch (error) {
        failure = error;
      }
    },
    failure: () => failure,
  };
}
