import { crashSteps, type PlannedAttempt, type PlannedEvent, type SimulationPlan } from './plan';

/** What a plan, an event and a forged delivery always have. */
const required = ['instances', 'events', 'id', 'type', 'order', 'version', 'at', 'fault'];
/** The numbers that tell an event from others. */
const kept = ['id', 'order', 'version'];
/** Of more events, each alone with each crash would take too many runs. */
const maxAlone = 6;
/** How many runs shrinking takes at most. */
const maxRuns = 400;

/** Yields values that are a little simpler, those first that leave out the most. */
function* simplify(value: unknown, name = ''): Generator<unknown> {
  if (Array.isArray(value)) {
    // Halves of it, then quarters, then single items.
    for (let size = Math.ceil(value.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let start = 0; start < value.length; start += size) yield value.toSpliced(start, size);
    }
    if (name === 'events') yield* moveCrash(value);
    // What never arrived explains more than a repetition. Some attempts more make up for the time that those before took.
    const lost = { lose: 'request' } as const satisfies PlannedAttempt;
    if (name === 'attempts' && value.some((one) => JSON.stringify(one) !== JSON.stringify(lost))) {
      yield Array(value.length + 3).fill(lost);
    }
    for (const [index, item] of value.entries()) {
      for (const simpler of simplify(item)) yield value.with(index, simpler);
    }
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    for (const [key] of entries) {
      if (!required.includes(key))
        yield Object.fromEntries(entries.filter(([other]) => other !== key));
    }
    // A repetition is simpler than one at the same time.
    const { copy, ...rest } = value as PlannedAttempt;
    if (copy !== undefined) yield { ...rest, lose: 'response' };
    for (const [key, part] of entries) {
      for (const simpler of simplify(part, key)) yield { ...value, [key]: simpler };
    }
  } else if (typeof value === 'number' && !kept.includes(name)) {
    const least = name === 'instances' ? 1 : Math.min(0, value);
    const numbers = [least, Math.trunc(value / 10), Math.trunc(value / 2)];
    if (Math.abs(value) < 10) numbers.push(value - Math.sign(value));
    for (const number of new Set(numbers)) if (number >= least && number !== value) yield number;
  }
}

/** Yields each of a few events alone, with the crash that another one has, at any step of its own first attempt. */
function* moveCrash(events: readonly PlannedEvent[]): Generator<PlannedEvent[]> {
  if (events.length > maxAlone) return;
  const hasCrash = ({ attempts = [] }: PlannedEvent) =>
    attempts.some(({ crash }) => crash !== undefined);
  for (const event of events) {
    if (!events.some((other) => other !== event && hasCrash(other))) continue;
    const [first, ...others] = event.attempts ?? [];
    for (let crash = 0; crash < crashSteps; crash += 1) {
      yield [{ ...event, attempts: [{ ...first, crash }, ...others] }];
    }
  }
}

/**
 * Makes a plan as simple as possible while its run still fails (delta debugging): it leaves out events and faults, then instances,
 * and lowers delays and the steps of crashes. After a simpler plan that fails it goes on where it was, until none of all changes to
 * the plan fails. `isSimplest` is false if it ended before, after 400 runs.
 */
export async function shrinkPlan(
  plan: SimulationPlan,
  fails: (simpler: SimulationPlan) => Promise<boolean>,
): Promise<{ plan: SimulationPlan; isSimplest: boolean }> {
  let best = plan;
  // They have the required parts of a plan.
  const listChanges = () => [...simplify(best)] as SimulationPlan[];
  let changes = listChanges();
  let [position, passed] = [0, 0];
  for (let runs = 0; passed < changes.length; runs += 1) {
    if (runs === maxRuns) return { plan: best, isSimplest: false };
    position %= changes.length;
    const simpler = changes[position] as SimulationPlan;
    if (await fails(simpler)) {
      [best, passed] = [simpler, 0];
      changes = listChanges();
    } else {
      position += 1;
      passed += 1;
    }
  }
  return { plan: best, isSimplest: true };
}
