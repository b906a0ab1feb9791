import type { PlannedAttempt } from './plan';

/** What an instance does for a request; for none, when it starts. Times are in milliseconds since 1970. */
export interface Work {
  /** The ID of the event; empty without a request. */
  readonly eventId: string;
  /** How the history calls the request. */
  readonly title: string;
  readonly faults: PlannedAttempt;
  /** Gets the response; null if the connection is lost. */
  respond(response: Response | null): void;
  /** Who does it. One that was killed and its successor differ. */
  instance: object | null;
  startedAt: number;
  /** When it responded or was killed; null before. After a response it may go on. */
  endedAt: number | null;
  /** The status of the response; null without one. */
  status: number | null;
  /** How many steps it took, and how many of them wait for their time. */
  steps: number;
  held: number;
  /** Whether it had its effect, so that nothing is expected of it after its response. */
  done: boolean;
  /** Whether its instance was killed while it worked, before or after its response. */
  killed: boolean;
}

/** Creates work that has not begun. */
export function createWork(given: Partial<Work>): Work {
  const request = { eventId: '', title: '', faults: {}, respond: () => {} };
  const state = { instance: null, startedAt: 0, endedAt: null, status: null };
  return { ...request, ...state, steps: 0, held: 0, done: false, killed: false, ...given };
}
