import { SeededRandom } from './seeded-random';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How a receiver behaves during the simulation. */
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

/** One of `receiverKinds`. */
export type ReceiverKind = (typeof receiverKinds)[number];

/** What a receiver does during an outage. */
export type ReceiverFault =
  | 'unreachable'
  | 'resets'
  | 'hangs'
  | 'errors'
  | 'rate limits'
  | 'redirects';

const receiverFaults = [
  'unreachable',
  'resets',
  'hangs',
  'errors',
  'rate limits',
  'redirects',
] as const;

/** A span of time, in milliseconds since the start. */
export interface Span {
  from: number;
  to: number;
}

/** An endpoint, its outages, and when deliveries are queued for it. */
export interface PlannedEndpoint {
  kind: ReceiverKind;
  /** When it fails, and how. */
  outages: (Span & { as: ReceiverFault })[];
  /** `at` is in milliseconds since the start. */
  arrivals: { at: number; count: number }[];
}

/** A worker that ends without a shutdown. */
export interface PlannedCrash {
  /** The earliest time, in milliseconds since the start. */
  at: number;
  /** At that time, or in the next call of this method of the store: before or after it takes effect. */
  upon:
    | 'immediately'
    | 'registerWorker'
    | 'releaseDeadLeases'
    | 'endWorker'
    | 'resetStaleLeases'
    | 'leaseDue'
    | 'recordAttempts'
    | 'nextDueAt'
    | 'adjustToClock';
  when: 'before' | 'after';
  /** How long it takes until another worker starts. */
  downFor: number;
}

/** A span in which the store is unreliable. */
export interface PlannedFault extends Span {
  /** A store whose disk is full rejects results, but may still lease deliveries. */
  only: 'recordAttempts' | null;
  /** The fraction of the calls that fail, such as 0.5. */
  share: number;
  /** The fraction of failed calls that take effect: only their response is lost. */
  lost: number;
}

/** Everything that happens in one simulation independently of the engine. */
export interface Plan {
  endpoints: PlannedEndpoint[];
  /** How many workers share the queues. */
  workers: number;
  /** Whether they are notified when something is queued; otherwise they poll. */
  woken: boolean;
  crashes: PlannedCrash[];
  /** When a worker is stopped and another one started, in milliseconds since the start. */
  stops: number[];
  /** When the system clock is set, and by how many milliseconds; a negative number sets it back. */
  clockChanges: { at: number; by: number }[];
  faults: PlannedFault[];
  /** When this machine has no free socket. */
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

function drawOutages(random: SeededRandom, kind: ReceiverKind): PlannedEndpoint['outages'] {
  const always = { from: 0, to: Number.POSITIVE_INFINITY };
  if (kind === 'dead')
    return [{ ...always, as: random.pick(['unreachable', 'resets', 'errors', 'redirects']) }];
  if (kind === 'black hole') return [{ ...always, as: 'hangs' }];
  if (kind === 'busy') return [{ from: 0, to: random.between(0, 30 * hour), as: 'rate limits' }];
  if (kind !== 'recovering') return [];
  return random.several(1, 3, () => {
    const from = random.between(0, 20 * hour);
    const longest = random.pick([10 * second, 10 * minute, 3 * hour, 28 * hour]);
    return { from, to: from + random.between(0, longest), as: random.pick(receiverFaults) };
  });
}

function drawEndpoint(random: SeededRandom): PlannedEndpoint {
  const kind = random.pick(receiverKinds);
  // A single delivery shows the schedule itself, which nothing else may delay.
  const alone = kind === 'dead' && random.chance(0.5);
  return { kind, outages: drawOutages(random, kind), arrivals: drawArrivals(random, alone) };
}

/** Draws the time of a disturbance: mostly when there is something to do. */
function drawTime(random: SeededRandom, endpoints: PlannedEndpoint[]): number {
  const arrivalTimes = endpoints.flatMap(({ arrivals }) => arrivals.map(({ at }) => at));
  const [first = 0, ...others] = arrivalTimes;
  if (random.chance(0.4)) return random.between(0, 27 * hour);
  return Math.max(0, random.pick([first, ...others]) + random.between(-2 * second, 2 * second));
}

function drawCrash(random: SeededRandom, at: number): PlannedCrash {
  return {
    at,
    upon: random.pick([
      'immediately',
      'registerWorker',
      'releaseDeadLeases',
      'endWorker',
      'resetStaleLeases',
      'leaseDue',
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

/** How far a clock is set at most: by synchronisation, by people and by time zones. */
const clockChanges = [100, 10 * second, 5 * minute, 3 * hour] as const;

/** Draws the plan of a seed. In a third of all plans only receivers fail. */
export function drawPlan(seed: number): Plan {
  const random = new SeededRandom(`plan ${seed}`);
  const calm = random.chance(1 / 3);
  const endpoints = random.several(1, 5, () => drawEndpoint(random));
  const unlessCalm = <Item>(most: number, draw: (at: number) => Item): Item[] =>
    calm ? [] : random.several(0, most, () => draw(drawTime(random, endpoints)));
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
