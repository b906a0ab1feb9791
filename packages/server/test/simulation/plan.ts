import { SeededRandom } from './seeded-random';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How a receiver fares, for as long as the simulation lasts. */
export const receiverKinds = [
  'healthy',
  'slow',
  'flaky',
  'recovering',
  'busy',
  'dead',
  'black hole',
  'paused',
] as const;

/** One of them. */
export type ReceiverKind = (typeof receiverKinds)[number];

/** What a receiver does while it is not well. */
export type Ailment = 'refuses' | 'resets' | 'hangs' | 'errs' | 'is busy' | 'redirects';

const ailments = ['refuses', 'resets', 'hangs', 'errs', 'is busy', 'redirects'] as const;

/** A span of time, in milliseconds since the beginning. */
export interface Span {
  from: number;
  to: number;
}

/** An endpoint, and what is queued for it when. */
export interface PlannedEndpoint {
  kind: ReceiverKind;
  /** When it is not well. */
  ailing: (Span & { as: Ailment })[];
  /** Milliseconds since the beginning. */
  arrivals: { at: number; count: number }[];
}

/** A worker that ends without a chance to tidy up. */
export interface PlannedCrash {
  /** From when on, in milliseconds since the beginning. */
  at: number;
  /** At that time, or in the next call of the store: before it is done, or before its response arrives. */
  upon: 'the moment' | 'beginAnew' | 'claimDue' | 'recordAttempts' | 'nextDueAt' | 'adjustToClock';
  when: 'before' | 'after';
  /** How long it takes until another worker starts. */
  downFor: number;
}

/** A span in which the store cannot be relied upon. */
export interface PlannedFault extends Span {
  /** A store whose disk is full rejects outcomes, and may still hand out leases. */
  only: 'recordAttempts' | null;
  /** The part of the calls that fail, such as 0.5. */
  share: number;
  /** The part of those that are done all the same: only the response is lost. */
  lost: number;
}

/** All that happens in one simulation, as far as it does not depend on what the engine does. */
export interface Plan {
  endpoints: PlannedEndpoint[];
  /** How many workers share the queues. */
  workers: number;
  /** Whether they are notified when something is queued; else they look for themselves. */
  woken: boolean;
  crashes: PlannedCrash[];
  /** When a worker is stopped in good order and another one started, in milliseconds since the beginning. */
  stops: number[];
  /** When the system clock is set, and by how much: back by a negative number of milliseconds. */
  clockChanges: { at: number; by: number }[];
  faults: PlannedFault[];
  /** When this machine has no socket left to connect with. */
  shortages: Span[];
}

/** Nothing new is queued after this. */
export const lastArrival = 4 * hour;

function drawArrivals(random: SeededRandom, alone: boolean): PlannedEndpoint['arrivals'] {
  if (alone) return [{ at: random.between(0, lastArrival), count: 1 }];
  return random.several(1, 5, () => ({
    at: random.between(0, lastArrival),
    count: random.pick([1, 1, 1, 2, 3, 5, 8]),
  }));
}

function drawAiling(random: SeededRandom, kind: ReceiverKind): PlannedEndpoint['ailing'] {
  const always = { from: 0, to: Number.POSITIVE_INFINITY };
  if (kind === 'dead')
    return [{ ...always, as: random.pick(['refuses', 'resets', 'errs', 'redirects']) }];
  if (kind === 'black hole') return [{ ...always, as: 'hangs' }];
  if (kind === 'busy') return [{ from: 0, to: random.between(0, 30 * hour), as: 'is busy' }];
  if (kind !== 'recovering') return [];
  return random.several(1, 3, () => {
    const from = random.between(0, 20 * hour);
    const longest = random.pick([10 * second, 10 * minute, 3 * hour, 28 * hour]);
    return { from, to: from + random.between(0, longest), as: random.pick(ailments) };
  });
}

function drawEndpoint(random: SeededRandom): PlannedEndpoint {
  const kind = random.pick(receiverKinds);
  // One delivery alone shows the bare schedule, which nothing may hold up.
  const alone = kind === 'dead' && random.chance(0.5);
  return { kind, ailing: drawAiling(random, kind), arrivals: drawArrivals(random, alone) };
}

/** When something goes wrong: mostly when there is something to do. */
function drawMoment(random: SeededRandom, endpoints: PlannedEndpoint[]): number {
  const busy = endpoints.flatMap(({ arrivals }) => arrivals.map(({ at }) => at));
  const [first = 0, ...others] = busy;
  if (random.chance(0.4)) return random.between(0, 27 * hour);
  return Math.max(0, random.pick([first, ...others]) + random.between(-2 * second, 2 * second));
}

function drawCrash(random: SeededRandom, at: number): PlannedCrash {
  return {
    at,
    upon: random.pick([
      'the moment',
      'beginAnew',
      'claimDue',
      'recordAttempts',
      'nextDueAt',
      'adjustToClock',
    ]),
    when: random.pick(['before', 'after']),
    downFor: random.pick([0, 1, 500, 5 * second, 40 * second, 10 * minute]),
  };
}

function drawFault(random: SeededRandom, from: number): PlannedFault {
  if (random.chance(0.4)) {
    const to = from + random.between(second, 5 * minute);
    return { from, to, only: 'recordAttempts', share: 1, lost: 0 };
  }
  return {
    from,
    to: from + random.between(second, random.pick([10 * second, 3 * minute])),
    only: null,
    share: random.pick([0.2, 0.6, 1]),
    lost: random.pick([0, 0.5, 1]),
  };
}

/** By how much a clock is set at most: what synchronisation corrects, and what people and time zones do. */
const clockChanges = [100, 10 * second, 5 * minute, 3 * hour] as const;

/** Draws what happens in the simulation of a seed. A third of all seeds are calm: only receivers fail. */
export function drawPlan(seed: number): Plan {
  const random = new SeededRandom(`plan ${seed}`);
  const calm = random.chance(1 / 3);
  const endpoints = random.several(1, 5, () => drawEndpoint(random));
  const unlessCalm = <Item>(most: number, draw: (at: number) => Item): Item[] =>
    calm ? [] : random.several(0, most, () => draw(drawMoment(random, endpoints)));
  return {
    endpoints,
    workers: random.pick([1, 1, 2]),
    woken: random.chance(0.7),
    crashes: unlessCalm(5, (at) => drawCrash(random, at)),
    stops: unlessCalm(2, (at) => at),
    clockChanges: unlessCalm(2, (at) => ({
      at,
      by: random.between(1, random.pick(clockChanges)) * random.pick([1, -1]),
    })),
    faults: unlessCalm(2, (from) => drawFault(random, from)),
    shortages: unlessCalm(1, (from) => ({ from, to: from + random.between(1, 2 * minute) })),
  };
}
