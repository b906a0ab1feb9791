import { exampleSecret } from '../sign-delivery';
import {
  Instance,
  type RunContext,
  type SimulationEnvironment,
  type StartReceiver,
} from './instance';
import type { SimulationPlan } from './plan';
import { Service } from './service';
import { VirtualTime } from './virtual-time';

/** Reads the state that a receiver has reached. */
export type TakeSnapshot = (environment: Pick<SimulationEnvironment, 'durable'>) => unknown;

/** What is run, and how. */
export interface RunOptions {
  start: StartReceiver;
  snapshot: TakeSnapshot | undefined;
  /** How long to wait for what takes real time, in milliseconds. */
  patienceMs: number;
  /** Whether an event waits until the one before is finished. */
  isOrdered: boolean;
}

/** What happened in a run. */
export type Run = Awaited<ReturnType<typeof runPlan>>;

/** When every run starts. */
const start = '2026-11-21T09:30:00.000Z';
/** How long an instance that was killed is down, and how long work may go on after the last attempt, in milliseconds. */
const restartMs = 1_000;
const lastWorkMs = 3_600_000;

/**
 * Runs a plan: the service sends its events to the instances of a receiver. It draws nothing, so the same plan gives the same run.
 * The history has a line for whatever happened. The snapshot is the state that the receiver reached, as text; null without the option.
 *
 * @throws {InconclusiveError} when the receiver waits for something that the simulation does not control, or does not end; and what it throws itself
 */
export async function runPlan(plan: SimulationPlan, options: RunOptions) {
  const { snapshot, patienceMs, isOrdered } = options;
  const startOfTime = Date.parse(start);
  const time = new VirtualTime(startOfTime, patienceMs);
  const history: string[] = [];
  const note = (text: string) => history.push(`${formatTime(time.now - startOfTime)}  ${text}`);
  const durables = new Map<string, unknown>();
  const started: Instance[] = [];
  const startInstance = async (number: number) => {
    const instance = new Instance(number, context);
    started.push(instance);
    await instance.start(options.start);
  };
  const context: RunContext = {
    plan,
    time,
    requests: [],
    effects: [],
    secrets: [exampleSecret],
    isOrdered,
    note,
    durable<Value>(name: string, create: () => Value): Value {
      if (!durables.has(name)) durables.set(name, create());
      // The caller gave the name to a value of this type.
      return durables.get(name) as Value;
    },
    async send(number, sent, signed) {
      const instance = started.findLast((other) => other.number === number);
      await instance?.receive(sent, signed.toRequest('https://receiver.example/webhooks'));
    },
    onKilled: ({ number }) => time.schedule(time.now + restartMs, () => startInstance(number)),
  };
  const service = new Service(context);
  let doneAt: number | null = null;
  const isOver = () => {
    if (!service.isDone()) return false;
    doneAt ??= time.now;
    const { requests, effects } = context;
    const isBusy = requests.some(({ ended, held }) => !ended || held > 0);
    // A worker may have its job in a queue, which no request shows.
    const isMissing = service.deliveries.some(
      ({ id, state }) => state === 'delivered' && !effects.some(({ eventId }) => eventId === id),
    );
    return !(isBusy || isMissing) || time.now > doneAt + lastWorkMs;
  };
  try {
    for (let number = 1; number <= plan.instances; number += 1) await startInstance(number);
    service.start();
    await time.run(isOver);
    const taken = snapshot && (await time.finish('snapshot', () => snapshot(context)));
    const reached = snapshot ? writeSnapshot(taken) : null;
    const crashes = started.length - plan.instances;
    const { requests, effects } = context;
    const { deliveries } = service;
    const rotatedAt = startOfTime + (plan.rotation ?? Number.POSITIVE_INFINITY);
    return { plan, deliveries, requests, effects, crashes, history, snapshot: reached, rotatedAt };
  } finally {
    for (const { receiver } of started) await time.finish('stop', () => receiver?.stop?.());
  }
}

function writeSnapshot(value: unknown): string {
  try {
    return JSON.stringify(value, sortParts);
  } catch (error) {
    throw new TypeError(
      `simulateDeliveries: snapshot must return data that JSON, Map and Set can hold (${error}).`,
    );
  }
}

/** Writes maps, sets and objects in an order that does not depend on when their parts were added. */
function sortParts(_name: string, value: unknown): unknown {
  const toText = (part: unknown) => JSON.stringify(part, sortParts) ?? '';
  const sort = (parts: Iterable<unknown>) =>
    [...parts].sort((one, other) => (toText(one) < toText(other) ? -1 : 1));
  if (value instanceof Map || value instanceof Set) return sort(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Formats milliseconds since the start, as in `00:01:05.001`. */
function formatTime(milliseconds: number): string {
  const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, '0');
  return `${hours}:${new Date(milliseconds).toISOString().slice(14, -1)}`;
}
