import { eventTypes } from '@tradepost/contract/wire';
import {
  explainSign,
  type Finding,
  isRepeatedByCrash,
  listJudged,
  listSigns,
  type SimulationInvariant,
} from './judge';
import { checkOptions, type SimulationOptions } from './options';
import { createPlans, type SimulationPlan, simulationFaults, withoutFaults } from './plan';
import type { Run } from './run';
import { runPlan } from './run-plan';
import { shrinkPlan } from './shrink';
import { InconclusiveError } from './virtual-time';

/** A run in which something happened that must not happen, as simple as possible. */
export interface SimulationCounterexample extends Finding {
  /** The plan of the run. */
  plan: SimulationPlan;
  /** What happened in it, in order, a line each. */
  history: readonly string[];
  /** False if simplifying it ended after 400 runs, so that a simpler plan may show the same. True for a given plan. */
  isSimplest: boolean;
  /** The lines of a test that fails with the plan: a call, and an assertion. */
  code: string;
}

/** The result of a simulation. */
export interface SimulationResult {
  /** Whether every run was as it must be. False also if it is inconclusive. */
  ok: boolean;
  /** The seed; null if a plan was given. */
  seed: number | null;
  /** How many plans were run. */
  runs: number;
  /** How many deliveries and requests they had, and how often an instance was killed. */
  deliveries: number;
  requests: number;
  crashes: number;
  /** Which invariants were judged. */
  judged: readonly SimulationInvariant[];
  /** Why the receiver could not be judged; null if it was. */
  inconclusive: string | null;
  /** In how many runs a crash between an effect and its record repeated the effect. */
  repeatedByCrash: number;
  counterexample: SimulationCounterexample | null;
}

/**
 * Sends a day of deliveries to a receiver, in milliseconds: on the retry schedule of the reference server, with copies, lost
 * responses, crashes, a wrong clock, forged deliveries and a new secret. If something happens that must not, the result has the
 * simplest run that shows it.
 *
 * Time is that of the simulation: use `now` and `sleep` of the environment, and `wrap` what stands for a database. What the
 * receiver does by another clock, or without a step of the environment, the simulation can neither delay nor interrupt.
 *
 * The same seed gives the same result, if each promise between two steps settles within about 10 ms of real time. After that, other
 * requests go on, since it may wait for one of them. WebCrypto in a process with much other work may take longer, so that another
 * run has other requests. A failure that does not happen again in a run of the same plan makes the result inconclusive.
 *
 * @throws {TypeError} when an option is not valid, or `effect` gets an ID that no delivery has; and whatever `start`, `stop` and `snapshot` throw
 * @example
 * const result = await simulateDeliveries({
 *   start({ secrets, now, effect, durable, wrap }) {
 *     const dedupe = wrap(durable('deliveries', () => createMyStore({ now })));
 *     const on = { 'order.created': (_, { id }) => effect(id) };
 *     const receiver = webhookReceiver({ secret: secrets, now, requireTimestamp: true, dedupe, on });
 *     return { receive: receiver.fetch };
 *   },
 *   types: ['order.created'],
 * });
 * assert(result.ok, formatSimulation(result));
 */
export async function simulateDeliveries(options: SimulationOptions): Promise<SimulationResult> {
  checkOptions(options);
  const { snapshot, seed = 1, runs = 50, atomic = false } = options;
  const { days = 1, events = 6, instances = 2, types = eventTypes } = options;
  const { faults = simulationFaults } = options;
  const drawPlan = createPlans(seed, { days, events, faults, instances, types });
  const plans = options.plan ? [options.plan] : Array.from({ length: runs }, drawPlan);
  const judged = new Set<SimulationInvariant>();
  const counts = { runs: 0, deliveries: 0, requests: 0, crashes: 0, repeatedByCrash: 0 };
  const open = { ok: false, judged: [], inconclusive: null, counterexample: null };
  const result: SimulationResult = { seed: options.plan ? null : seed, ...counts, ...open };

  const orderedRuns = new Map<string, Run>();
  let hasEffects = false;
  const runOrdered = async (plan: SimulationPlan) => {
    const calm = withoutFaults(plan);
    const key = JSON.stringify(calm);
    const ordered = orderedRuns.get(key) ?? (await runPlan(calm, options, true));
    orderedRuns.set(key, ordered);
    hasEffects ||= ordered.effects.length > 0;
    return ordered;
  };
  /** Runs the events of a plan in order and without faults, and the plan itself unless they show something. */
  const examine = async (plan: SimulationPlan) => {
    const ordered = await runOrdered(plan);
    const [sign] = listSigns(ordered, ordered, hasEffects, atomic);
    if (sign) return { run: ordered, sign };
    const run = await runPlan(plan, options);
    return { run, sign: listSigns(run, ordered, hasEffects, atomic)[0] };
  };
  /** Rejects a snapshot that is another one when the same events arrive in order again. */
  const requireRepeatable = async (plan: SimulationPlan) => {
    const before = await runOrdered(plan);
    orderedRuns.clear();
    if ((await runOrdered(plan)).snapshot === before.snapshot) return;
    throw new TypeError(
      'simulateDeliveries: snapshot must be deterministic: two runs of the same events in order gave two results. Leave out real times and random values, and read what is new in each run, such as durable() of its environment.',
    );
  };
  try {
    // Whether there are effects shows in any plan, also if the given one is of an event that has none.
    if (options.plan) await runOrdered(drawPlan());
    for (const plan of plans) {
      const { run, sign } = await examine(plan);
      result.runs += 1;
      result.deliveries += run.deliveries.length;
      result.requests += run.requests.length;
      result.crashes += run.crashes;
      result.repeatedByCrash += Number(isRepeatedByCrash(run));
      for (const invariant of listJudged(run, hasEffects)) judged.add(invariant);
      if (!sign) continue;
      if (sign.symptom === 'order') await requireRepeatable(plan);
      const showsSame = async (simpler: SimulationPlan) =>
        (await examine(simpler)).sign?.symptom === sign.symptom;
      const { plan: simplest, isSimplest } = options.plan
        ? { plan: options.plan, isSimplest: true }
        : await shrinkPlan(run.plan, showsSame);
      // What is shown must have happened twice.
      orderedRuns.clear();
      const shown = await examine(simplest);
      if (shown.sign?.symptom !== sign.symptom) {
        const { invariant, eventId } = explainSign(sign, simplest);
        result.inconclusive = `a run failed ${invariant} with ${eventId}, and the same plan did not when it ran again: the receiver depends on real time or on chance. Use now() and sleep() of the environment, and wrap() for what takes real time`;
        break;
      }
      const finding = explainSign(shown.sign, simplest);
      const code = formatTest(simplest, options);
      const { history } = shown.run;
      result.counterexample = { ...finding, plan: simplest, isSimplest, history, code };
      break;
    }
    if (!(hasEffects || snapshot || result.counterexample || result.inconclusive)) {
      const isLate = [...orderedRuns.values()].some(({ effects }) => effects.length > 0);
      result.inconclusive = isLate
        ? 'the receiver called effect() when its run was over. Wait with sleep() of the environment, not with a timer'
        : 'the receiver never called effect(), and there is no snapshot';
    }
  } catch (error) {
    if (!(error instanceof InconclusiveError)) throw error;
    result.inconclusive = error.message;
  }
  result.judged = [...judged].sort();
  result.ok = result.counterexample === null && result.inconclusive === null;
  return result;
}

/** Writes the lines of a test that fails with a plan, with an event on each line. */
function formatTest(
  plan: SimulationPlan,
  { snapshot, types, atomic, realTime }: SimulationOptions,
): string {
  const given = [
    'start',
    snapshot && 'snapshot',
    types && `types: ${JSON.stringify(types)}`,
    atomic && 'atomic: true',
    realTime && 'realTime: true',
    `plan: ${JSON.stringify(plan).replaceAll('{"id"', '\n  {"id"')}`,
  ];
  return `const result = await simulateDeliveries({ ${given.filter(Boolean).join(', ')} });
assert(result.ok, formatSimulation(result));`;
}
