import type { Narrator } from './narrate';

/** What every step has at hand. */
export interface Stage {
  narrator: Narrator;
  /** Aborts when the demo must end before its time. A step that waits listens to it. */
  signal: AbortSignal;
  /** Ends the demo before its time, for this reason. */
  abandon(reason: Error): void;
  /** Remembers what must be undone in the end, come what may. The last one is undone first. */
  atEnd(undo: () => Promise<void>): void;
}
