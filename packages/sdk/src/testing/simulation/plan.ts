import { type eventTypes, orderStatuses } from '@tradepost/contract/wire';
import { sampleEvent } from '../sample-event';
import { createRandom } from '../seeded-random';
import type { SignableEvent } from '../sign-delivery';

/** The type of an event that a simulation sends. */
export type SimulatedEventType = (typeof eventTypes)[number];

/** What goes wrong with one attempt. Without any field it goes well. */
export interface PlannedAttempt {
  /** Milliseconds until the request arrives. @default 0 */
  late?: number;
  /** Milliseconds that each step of the receiver takes, until the attempt is 20 s old. @default 1 */
  slow?: number;
  /** A second copy of the request arrives so many milliseconds after the first, at the next instance. @default no copy */
  copy?: number;
  /** The connection is lost before the request arrives, or when the receiver has responded. @default it is not lost */
  lose?: 'request' | 'response';
  /** The instance is killed at this step of its work, from 0, and starts again a second later. @default never */
  crash?: number;
}

/** An event of a plan, and what goes wrong with the attempts of its delivery. */
export interface PlannedEvent {
  /** Its number: `evt_1` is the ID of the event 1. Later events have higher ones. */
  id: number;
  /** The event type. */
  type: SimulatedEventType;
  /** The number of its order and its listing: `ord_1`, `lst_1`. */
  order: number;
  /** The version of the order, which determines its status: 1 is pending, 2 confirmed, … */
  version: number;
  /** When it happens: milliseconds since the start. */
  at: number;
  /** The first attempts. Those after them go well. @default all go well */
  attempts?: PlannedAttempt[];
}

/** All that happens in a run, as JSON. The same plan gives the same run. */
export interface SimulationPlan {
  /** How many instances of the receiver run. They take turns. */
  instances: number;
  /** The events that the service sends. */
  events: PlannedEvent[];
  /**
   * Seconds that the clock of the receiver is ahead of that of the service. It is 240 or -240 in a plan that is drawn: from 300 on, a
   * receiver has to refuse deliveries. @default 0
   */
  clock?: number;
  /** When a new secret is staged: milliseconds since the start. It signs a minute later, and is alone after two more. */
  rotation?: number;
  /** Deliveries that the service did not send, and when they arrive: milliseconds since the start. */
  forged?: { at: number; fault: 'tampered' | 'wrong-secret' | 'unsigned' }[];
}

/** What may go wrong: the faults of an attempt, a wrong clock, a new secret, and forged deliveries. */
export const simulationFaults = [
  'late',
  'slow',
  'copy',
  'lose',
  'crash',
  'clock',
  'rotation',
  'forged',
] as const;

/** A kind of fault. */
export type SimulationFault = (typeof simulationFaults)[number];

/** What plans are drawn from. */
export interface PlanSpace {
  days: number;
  events: number;
  faults: readonly SimulationFault[];
  instances: number;
  types: readonly SimulatedEventType[];
}

/** The longest time in a run: a year, in milliseconds. */
export const longestMs = 31_536_000_000;
/** At how many steps, from the first one on, an instance may be killed. */
export const crashSteps = 8;
const hourMs = 3_600_000;
/** A tolerance of 300 seconds has a minute left for slow attempts. */
const clocks = [-240, 240];

/** Returns a function that draws plans, the same ones for the same seed. */
export function createPlans(seed: number, space: PlanSpace): () => SimulationPlan {
  const random = createRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  // The index is within the list.
  const pick = <Item>(...items: readonly Item[]) => items[below(items.length)] as Item;
  const drawHour = () => below(24 * space.days) * hourMs;
  const has = (fault: SimulationFault, probability: number) =>
    space.faults.includes(fault) && random() < probability;

  const drawAttempt = (): PlannedAttempt => ({
    ...(has('late', 0.2) && { late: pick(10, 300, 4_000) }),
    ...(has('slow', 0.2) && { slow: pick(20, 300, 6_000) }),
    ...(has('copy', 0.25) && { copy: pick(0, 2, 500, 8_000) }),
    ...(has('lose', 0.3) && { lose: pick('request', 'response') }),
    ...(has('crash', 0.25) && { crash: below(crashSteps) }),
  });
  const drawAttempts = (): PlannedAttempt[] => {
    const first = Array.from({ length: pick(0, 1, 1, 2, 3) }, drawAttempt);
    // The receiver cannot be reached, for ten minutes to nine hours.
    const outage = has('lose', 0.15) ? pick(6, 8, 9) : 0;
    return [...first, ...Array<PlannedAttempt>(outage).fill({ lose: 'request' })];
  };

  return () => {
    const times = Array.from({ length: space.events }, () =>
      pick(0, 0, 0, 5, 40, 2_000, 20_000, drawHour()),
    );
    const events: PlannedEvent[] = [];
    /** The versions of the orders; there is no order 0. */
    const versions = [Number.POSITIVE_INFINITY];
    for (const [index, at] of times.sort((one, other) => one - other).entries()) {
      const [id, attempts, last] = [index + 1, drawAttempts(), events.at(-1)];
      if (last?.type === 'listing.availability_low' && random() < 0.4) {
        // Another event with the same body: the stock fell twice within a millisecond.
        events.push({ ...last, id, attempts });
        continue;
      }
      const type = pick(...space.types);
      const open = versions.flatMap((version, order) => (version < 4 ? [order] : []));
      const isNew = type === 'order.created' || open.length === 0;
      const order = isNew ? versions.push(1) - 1 : pick(...open);
      const version = (versions[order] ?? 1) + (type === 'order.status_changed' ? 1 : 0);
      versions[order] = version;
      events.push({ id, type, order, version, at, attempts });
    }
    const fault = pick('tampered', 'wrong-secret', 'unsigned');
    return {
      instances: space.instances,
      events,
      ...(has('clock', 0.3) && { clock: pick(...clocks) }),
      ...(has('rotation', 0.3) && { rotation: pick(0, 1_000, drawHour()) }),
      ...(has('forged', 0.3) && { forged: [{ at: pick(1, 1_000), fault }] }),
    };
  };
}

/** Returns a plan with the same events, but without faults. */
export function withoutFaults({ events }: SimulationPlan): SimulationPlan {
  return { instances: 1, events: events.map(({ attempts: _, ...event }) => event) };
}

/** Creates the event of a planned one. `createdAt` is in milliseconds since 1970. */
export function toEvent({ type, order, version }: PlannedEvent, createdAt: number): SignableEvent {
  const orderId = `ord_${order}`;
  const [previousStatus, status] = [orderStatuses[version - 2], orderStatuses[version - 1]];
  const fields = {
    'order.created': { orderId, listingId: `lst_${order}` },
    'order.status_changed': { orderId, previousStatus, status },
    'task.approval_requested': { orderId, taskId: `tsk_${order}` },
    'task.completed': { orderId, taskId: `tsk_${order}` },
    'listing.availability_low': { listingId: `lst_${order}` },
  };
  const sample = sampleEvent(type, { createdAt: new Date(createdAt).toISOString() });
  return { ...sample, data: { ...sample.data, ...fields[type] } };
}
