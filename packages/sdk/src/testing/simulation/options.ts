import { eventTypes, orderStatuses } from '@tradepost/contract/wire';
import type { OptionNames } from '../../option-names';
import { requireKnown } from '../mock/require-known';
import type { SimulationEnvironment, StartReceiver } from './instance';
import {
  longestMs,
  type PlannedAttempt,
  type PlannedEvent,
  type SimulatedEventType,
  type SimulationFault,
  type SimulationPlan,
  simulationFaults,
} from './plan';

/** Reads the state that a receiver has reached. */
export type TakeSnapshot = (environment: Pick<SimulationEnvironment, 'durable'>) => unknown;
type Forged = NonNullable<SimulationPlan['forged']>[number];

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

const satisfy =
  (rule: string, holds: (value: unknown) => boolean): Check =>
  (value, name) => {
    if (!holds(value)) fail(name, rule, value);
  };
const whole = (least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY) =>
  satisfy(
    `an integer${least === Number.NEGATIVE_INFINITY ? '' : ` from ${least}`}${most === Number.POSITIVE_INFINITY ? '' : ` to ${most}`}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  );
const oneOf = (known: readonly unknown[]) =>
  satisfy(`one of ${known.join(', ')}`, (value) => known.includes(value));
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
      return fail(name || 'the options', 'an object', value);
    }
    requireKnown(name ? `simulateDeliveries: ${name}` : 'simulateDeliveries', value, checks);
    for (const [field, check] of Object.entries<Check>(checks)) {
      // What it holds is unknown until it was checked.
      const given = (value as Record<string, unknown>)[field];
      const isChecked = given !== undefined || (required as readonly string[]).includes(field);
      if (isChecked) check(given, name ? `${name}.${field}` : field);
    }
  };

/**
 * Rejects what no simulation can be made of. Types do not prevent it in JavaScript, or in a plan that was changed by hand.
 *
 * @throws {TypeError} with the name of the option, or the place in the plan, and what is valid
 */
export function checkOptions(given: SimulationOptions): void {
  // Not at the top of the module: a bundler would keep them without the simulation.
  const isFunction = satisfy('a function', (value) => typeof value === 'function');
  const isBoolean = satisfy('true or false', (value) => typeof value === 'boolean');
  const [count, duration, type] = [whole(1), whole(0, longestMs), oneOf(eventTypes)];
  const loss = oneOf(['request', 'response']);
  const attempt = { late: duration, slow: duration, copy: duration, lose: loss, crash: whole(0) };
  const attempts = listOf(fields<PlannedAttempt>(attempt));
  const version = whole(1, orderStatuses.length);
  const event = { id: count, type, order: count, version, at: duration };
  const fault = oneOf(['tampered', 'wrong-secret', 'unsigned']);
  const forged = fields<Forged>({ at: duration, fault }, 'at', 'fault');
  // Their names are those of the required fields.
  const required = Object.keys(event) as (keyof typeof event)[];
  const plan = fields<SimulationPlan>(
    {
      instances: count,
      events: listOf(fields<PlannedEvent>({ ...event, attempts }, ...required)),
      clock: whole(-longestMs / 1_000, longestMs / 1_000),
      rotation: duration,
      forged: listOf(forged),
    },
    'instances',
    'events',
  );
  const functions = { start: isFunction, snapshot: isFunction };
  const numbers = { seed: whole(), runs: count, days: whole(1, 365), events: count };
  const lists = { types: listOf(type, 1), faults: listOf(oneOf(simulationFaults)) };
  const others = { instances: count, atomic: isBoolean, realTime: isBoolean, plan };
  fields<SimulationOptions>({ ...functions, ...numbers, ...lists, ...others }, 'start')(given, '');
  if (!given.plan) return;
  const { events, forged: sent = [] } = given.plan;
  const ids = events.map(({ id }) => id);
  if (ids.length + sent.length === 0) fail('plan.events', 'a list that is not empty', events);
  if (new Set(ids).size < ids.length) fail('plan.events', 'events with different ids', ids);
}
