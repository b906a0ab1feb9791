import { eventTypes, orderStatuses } from '@tradepost/contract/wire';
import type { OptionNames } from '../../option-names';
import { requireKnown } from '../mock/require-known';
import type { StartReceiver } from './instance';
import {
  longestMs,
  type PlannedAttempt,
  type PlannedEvent,
  type SimulatedEventType,
  type SimulationFault,
  type SimulationPlan,
  simulationFaults,
} from './plan';
import type { TakeSnapshot } from './run-plan';

/** Options of `simulateDeliveries`. */
export interface SimulationOptions {
  /** Creates a receiver. It is called for each instance, and again when one was killed: only what is durable survives. */
  start: StartReceiver;
  /** Determines what happens: each integer is another simulation, the same in each execution. @default 1 */
  seed?: number | undefined;
  /** How many plans are run. @default 50 */
  runs?: number | undefined;
  /** How many days a run has, up to 365. The service tries a delivery for 24 hours. @default 1 */
  days?: number | undefined;
  /** How many events a run has. @default 6 */
  events?: number | undefined;
  /** The types of these events. @default all five of the API specification */
  types?: readonly SimulatedEventType[] | undefined;
  /** How many instances of the receiver run. @default 2 */
  instances?: number | undefined;
  /** What may go wrong. @default all of `simulationFaults` */
  faults?: readonly SimulationFault[] | undefined;
  /**
   * Returns the state that the receiver has reached, as data that JSON, `Map` and `Set` can hold. It must not depend on the order
   * in which deliveries arrived. @default the order is not judged
   */
  snapshot?: TakeSnapshot | undefined;
  /** Whether effect and record are one transaction. Then a crash must not repeat an effect; otherwise that is a note. @default false */
  atomic?: boolean | undefined;
  /** Whether the receiver uses a real database, which takes real time. @default false: what takes 2 s is not controlled */
  realTime?: boolean | undefined;
  /** Runs this plan alone, such as that of a counterexample. @default plans are drawn */
  plan?: SimulationPlan | undefined;
}

/** Throws unless a value is valid. The name tells where it is. */
type Check = (value: unknown, name: string) => void;
/** A check for each field of a type. */
type Checks<Fields> = { readonly [Name in keyof OptionNames<Fields>]: Check };

function fail(name: string, rule: string, value: unknown): never {
  const given = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? value);
  throw new TypeError(`simulateDeliveries: ${name} must be ${rule} (got ${given}).`);
}

const isOf =
  (type: 'boolean' | 'function'): Check =>
  (value, name) => {
    if (typeof value !== type)
      fail(name, type === 'boolean' ? 'true or false' : `a ${type}`, value);
  };
const whole =
  (least = -Number.MAX_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): Check =>
  (value, name) => {
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return;
    const from = least === -Number.MAX_SAFE_INTEGER ? '' : ` from ${least}`;
    const to = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
    fail(name, `an integer${from}${to}`, value);
  };
const oneOf =
  (...known: readonly unknown[]): Check =>
  (value, name) => {
    if (!known.includes(value)) fail(name, `one of ${known.join(', ')}`, value);
  };
const listOf =
  (check: Check, least = 0): Check =>
  (value, name) => {
    const isLongEnough = Array.isArray(value) && value.length >= least;
    if (!isLongEnough) fail(name, least > 0 ? 'a list that is not empty' : 'a list', value);
    for (const [index, item] of value.entries()) check(item, `${name}[${index}]`);
  };
/** Fields that are undefined are left out, unless they are required. */
const fields =
  <Fields>(checks: Checks<Fields>, ...required: readonly (keyof Fields)[]): Check =>
  (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return fail(name, 'an object', value);
    }
    requireKnown(name ? `simulateDeliveries: ${name}` : 'simulateDeliveries', value, checks);
    for (const [field, check] of Object.entries<Check>(checks)) {
      // What it holds is unknown until it was checked.
      const given = (value as Record<string, unknown>)[field];
      const isChecked = given !== undefined || (required as readonly string[]).includes(field);
      if (isChecked) check(given, name ? `${name}.${field}` : field);
    }
  };

type Forged = NonNullable<SimulationPlan['forged']>[number];

/** Creates the check when it is needed, so that bundlers can leave it out of programs that simulate nothing. */
function createCheck(): Check {
  const duration = whole(0, longestMs);
  const attempt = fields<PlannedAttempt>({
    late: duration,
    slow: duration,
    copy: duration,
    lose: oneOf('request', 'response'),
    crash: whole(0),
  });
  const event = fields<PlannedEvent>(
    {
      id: whole(1),
      type: oneOf(...eventTypes),
      order: whole(1),
      version: whole(1, orderStatuses.length),
      at: duration,
      attempts: listOf(attempt),
    },
    ...(['id', 'type', 'order', 'version', 'at'] as const),
  );
  const forged = fields<Forged>(
    { at: duration, fault: oneOf('tampered', 'wrong-secret', 'unsigned') },
    'at',
    'fault',
  );
  const planFields = fields<SimulationPlan>(
    {
      instances: whole(1),
      events: listOf(event),
      clock: whole(-longestMs / 1_000, longestMs / 1_000),
      rotation: duration,
      forged: listOf(forged),
    },
    'instances',
    'events',
  );
  const plan: Check = (value, name) => {
    planFields(value, name);
    // The check of the fields has passed.
    const { events, forged: others = [] } = value as SimulationPlan;
    const ids = events.map(({ id }) => id);
    if (ids.length + others.length === 0)
      fail(`${name}.events`, 'a list that is not empty', events);
    if (new Set(ids).size < ids.length) fail(`${name}.events`, 'events with different ids', ids);
  };

  return fields<SimulationOptions>(
    {
      start: isOf('function'),
      seed: whole(),
      runs: whole(1),
      days: whole(1, 365),
      events: whole(1),
      types: listOf(oneOf(...eventTypes), 1),
      instances: whole(1),
      faults: listOf(oneOf(...simulationFaults)),
      snapshot: isOf('function'),
      atomic: isOf('boolean'),
      realTime: isOf('boolean'),
      plan,
    },
    'start',
  );
}

/**
 * Rejects what no simulation can be made of. Types do not prevent it in JavaScript, or in a plan that was changed by hand.
 *
 * @throws {TypeError} with the name of the option, or the place in the plan, and what is valid
 */
export function checkOptions(given: SimulationOptions): void {
  if (typeof given !== 'object' || given === null) fail('the options', 'an object', given);
  createCheck()(given, '');
}
