import { exampleSecret } from '../sign-delivery';
import type { PlannedEvent, SimulationPlan } from './plan';
import { VirtualTime } from './virtual-time';
import type { Work } from './work';

/** The delivery of an event. Times are in milliseconds since 1970. */
export interface SimulatedDelivery {
  /** The ID of the event. */
  id: string;
  planned: PlannedEvent;
  createdAt: number;
  /** How many attempts were made. */
  attempts: number;
  /** When the next attempt is due; null during one and after the last. */
  dueAt: number | null;
  state: 'pending' | 'delivered' | 'failed';
}

/** An effect of an event. */
export interface Effect {
  eventId: string;
  name: string;
  at: number;
  work: Work;
}

/** When every run starts, in milliseconds since 1970. */
export const startOfTime = Date.parse('2026-11-21T09:30:00.000Z');

/** A run of a plan: what its service and its instances share, and what happened. Its functions need no `this`. */
export class Run {
  readonly time: VirtualTime;
  readonly deliveries: readonly SimulatedDelivery[];
  /** The work on requests, of all instances. */
  readonly requests: Work[] = [];
  readonly effects: Effect[] = [];
  /** What happened, a line each. */
  readonly history: string[] = [];
  /** How often an instance was killed. */
  crashes = 0;
  /** The secrets that receivers have to accept. The service replaces them. */
  secrets: readonly string[] = [exampleSecret];
  /** The state that the receiver reached, as text; null without the option. */
  snapshot: string | null = null;
  readonly #durables = new Map<string, unknown>();

  /** @param patienceMs how long to wait for what takes real time, in milliseconds */
  constructor(
    readonly plan: SimulationPlan,
    patienceMs: number,
  ) {
    this.time = new VirtualTime(startOfTime, patienceMs);
    this.deliveries = plan.events.map((planned) => {
      const createdAt = startOfTime + planned.at;
      const state = { attempts: 0, dueAt: createdAt, state: 'pending' } as const;
      return { id: `evt_${planned.id}`, planned, createdAt, ...state };
    });
  }

  /** Adds a line to the history, with the time since the start, as in `00:01:05.001`. */
  readonly note = (text: string): void => {
    const passed = this.time.now - startOfTime;
    const hours = String(Math.floor(passed / 3_600_000)).padStart(2, '0');
    this.history.push(`${hours}:${new Date(passed).toISOString().slice(14, -1)}  ${text}`);
  };

  readonly durable = <Value>(name: string, create: () => Value): Value => {
    if (!this.#durables.has(name)) this.#durables.set(name, create());
    // The caller gave the name to a value of this type.
    return this.#durables.get(name) as Value;
  };
}
