import type { Narrator } from './narrator';

/** What every step of the demo receives. */
export interface DemoContext {
  narrator: Narrator;
  /** Aborts when the demo has to end early. Every step that waits passes it on. */
  signal: AbortSignal;
  /** Ends the demo early, for this reason. */
  abort(reason: Error): void;
  /** Registers a cleanup that runs when the demo ends, even if it fails. The last one runs first. */
  onCleanup(cleanup: () => Promise<void>): void;
}
