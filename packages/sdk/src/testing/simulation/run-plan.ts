import { Instance } from './instance';
import type { SimulationOptions } from './options';
import type { SimulationPlan } from './plan';
import { Run } from './run';
import { Service } from './service';

/** How long an instance that was killed is down, and how long work may go on after the last attempt, in milliseconds. */
const [restartMs, lastWorkMs] = [1_000, 3_600_000];

/**
 * Runs a plan: the service sends its events to the instances of a receiver. It draws nothing, so the same plan gives the same run.
 *
 * @param isOrdered whether an event waits until the one before is finished
 * @throws {InconclusiveError} when the receiver waits for something that the simulation does not control, or does not end; and what it throws itself
 */
export async function runPlan(plan: SimulationPlan, options: SimulationOptions, isOrdered = false) {
  const run = new Run(plan, options.realTime ? 60_000 : 2_000);
  const { time, requests, effects } = run;
  const started: Instance[] = [];
  const startInstance = async (number: number) => {
    const instance = new Instance(number, run, () => {
      run.crashes += 1;
      time.schedule(time.now + restartMs, () => startInstance(number));
    });
    started.push(instance);
    await instance.start(options.start);
  };
  const service = new Service(run, isOrdered, async (number, work, signed) => {
    const instance = started.findLast((other) => other.number === number);
    await instance?.receive(work, signed.toRequest('https://receiver.example/webhooks'));
  });
  let doneAt: number | null = null;
  const isOver = () => {
    if (!service.isDone()) return false;
    doneAt ??= time.now;
    const isBusy = requests.some(({ endedAt, held }) => endedAt === null || held > 0);
    // A worker may have its job in a queue, which no request shows.
    const isMissing = run.deliveries.some(
      ({ id, state }) => state === 'delivered' && !effects.some(({ eventId }) => eventId === id),
    );
    return !(isBusy || isMissing) || time.now > doneAt + lastWorkMs;
  };
  try {
    for (let number = 1; number <= plan.instances; number += 1) await startInstance(number);
    service.start();
    await time.run(isOver);
    const { snapshot } = options;
    if (snapshot) run.snapshot = writeSnapshot(await time.finish('snapshot', () => snapshot(run)));
    return run;
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
  const sort = (parts: Iterable<unknown>) =>
    [...parts]
      .map((part) => [JSON.stringify(part, sortParts) ?? '', part] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, part]) => part);
  if (value instanceof Map || value instanceof Set) return sort(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  // Each part begins with its name, and no two names are the same.
  return Object.fromEntries(sort(Object.entries(value)) as [string, unknown][]);
}
