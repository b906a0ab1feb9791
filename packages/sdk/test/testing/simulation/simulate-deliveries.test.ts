import assert from 'node:assert/strict';
import { eventTypes } from '@tradepost/contract/wire';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  formatSimulation,
  type PlannedAttempt,
  type SimulationEnvironment,
  type SimulationOptions,
  type SimulationPlan,
  simulateDeliveries,
  simulationFaults,
} from '../../../src/testing/index';
import { createMemoryDedupeStore, webhookReceiver } from '../../../src/webhooks/index';
import { mistakes, withParts } from './mistakes';

/** A plan with one event. */
const aPlan = (attempts: PlannedAttempt[] = [], more: Partial<SimulationPlan> = {}) => ({
  instances: 1,
  events: [{ id: 1, type: 'order.created' as const, order: 1, version: 1, at: 0, attempts }],
  ...more,
});

/** Creates a receiver that handles a request with a function. */
const startWith =
  (
    receive: (request: Request, environment: SimulationEnvironment) => Response | Promise<Response>,
  ) =>
  (environment: SimulationEnvironment) => ({
    receive: (request: Request) => receive(request, environment),
  });

let snapshots = 0;
const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
const getId = (request: Request) => request.headers.get('webhook-id');
const acknowledge = () => new Response(null, { status: 204 });

/** Starts a `webhookReceiver` whose store survives crashes. */
function startReceiver({ secrets, now, effect, durable, wrap }: SimulationEnvironment) {
  const dedupe = wrap(durable('deliveries', () => createMemoryDedupeStore({ now })));
  const receiver = webhookReceiver({
    secret: secrets,
    now,
    requireTimestamp: true,
    dedupe,
    onUnhandled: (_, { id }) => effect(id),
    onVerificationError: () => undefined,
  });
  return { receive: receiver.fetch };
}

describe('a simulation', () => {
  test('sends on the retry schedule of the service, for 24 hours', async () => {
    const times: number[] = [];
    const start = startWith((request, { now }) => {
      if (getId(request) === 'evt_1') times.push(now());
      return new Response(null, { status: 500 });
    });
    const plan = aPlan();
    const { counterexample } = await simulateDeliveries({ start, plan });
    expect(counterexample).toMatchObject({ invariant: 'N3', cause: 'error', plan });
    const seconds = times
      .slice(-13)
      .map((time) => Math.round((time - (times.at(-13) ?? 0)) / 1_000));
    const last = 24 * 3_600 - 15;
    const middle = [16_400, 38_000, 59_600, 81_200];
    expect(seconds).toEqual([0, 5, 20, 65, 200, 605, 1_820, 5_465, ...middle, last]);
  });

  test.each([1, 3])('sends its events within %i days', async (days) => {
    const times: number[] = [];
    const start = startWith(async (request, { now, effect }) => {
      times.push(now());
      await effect(getId(request));
      return acknowledge();
    });
    await simulateDeliveries({ start, days, events: 40, faults: [], runs: 1 });
    const [first, last] = [Math.min(...times), Math.max(...times)];
    expect(Math.floor((last - first) / 86_400_000)).toBe(days - 1);
  });

  test('has the same result with the same seed, and other plans with another one', async () => {
    const options = { ...withParts(), runs: 2 };
    const results = await Promise.all(
      [1, 1, 2].map((seed) => simulateDeliveries({ ...options, seed })),
    );
    expect(results[1]).toEqual(results[0]);
    expect(results[2]?.requests).not.toBe(results[0]?.requests);
  });

  test('passes a webhookReceiver whose store survives, if nothing crashes', async () => {
    const faults = ['late', 'slow', 'copy', 'lose', 'clock', 'rotation', 'forged'] as const;
    const result = await simulateDeliveries({ start: startReceiver, faults, runs: 8 });
    expect(result.ok, formatSimulation(result)).toBe(true);
    expect(result).toMatchObject({
      runs: 8,
      crashes: 0,
      counterexample: null,
      inconclusive: null,
    });
    expect(result.judged).toEqual(['N1', 'N2', 'N3', 'N4', 'N6', 'N7', 'N8', 'N9']);
  });

  test('waits for what an instance does for another request', async () => {
    // Requests of an instance follow each other, as with a lock.
    const { start, ...options } = withParts();
    const result = await simulateDeliveries({
      ...options,
      runs: 4,
      async start(environment) {
        const { receive } = await start(environment);
        let turn: Promise<unknown> = Promise.resolve();
        return {
          receive(request) {
            const response = turn.then(() => receive(request));
            turn = response;
            return response;
          },
        };
      },
    });
    expect(result.ok, formatSimulation(result)).toBe(true);
  });

  test('uses no timers of a test, and leaves the clock alone', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const before = Date.now();
    expect(await simulateDeliveries({ ...withParts(), runs: 2 })).toMatchObject({ ok: true });
    expect(Date.now()).toBe(before);
  });

  test('stops every instance, also those that were killed', async () => {
    let [started, stopped] = [0, 0];
    const { start, ...options } = withParts();
    const { crashes } = await simulateDeliveries({
      ...options,
      plan: aPlan([{ crash: 1 }]),
      async start(environment) {
        started += 1;
        const stop = () => {
          stopped += 1;
        };
        return { ...(await start(environment)), stop };
      },
    });
    expect(crashes).toBe(1);
    // Two in the run of the plan, and one in each of those without faults.
    expect([started, stopped]).toEqual([4, 4]);
  });

  test('rejects with what a receiver throws when it starts', async () => {
    const start = () => Promise.reject(new Error('no database'));
    await expect(simulateDeliveries({ start })).rejects.toThrow('no database');
  });

  test.each([
    [{ runs: 0 }, 'runs must be an integer from 1 (got 0).'],
    [{ instances: 1.5 }, 'instances must be an integer from 1 (got 1.5).'],
    [{ days: 366 }, 'days must be an integer from 1 to 365 (got 366).'],
    [{ types: [] }, 'types must be a list that is not empty (got []).'],
    [
      { types: ['order.nope'] },
      `types[0] must be one of ${eventTypes.join(', ')} (got "order.nope").`,
    ],
    [{ seed: 1.5 }, 'seed must be an integer (got 1.5).'],
    [
      { faults: ['crashes'] },
      `faults[0] must be one of ${simulationFaults.join(', ')} (got "crashes").`,
    ],
    [{ faults: 'crash' }, 'faults must be a list (got "crash").'],
    [{ snapshot: 3 }, 'snapshot must be a function (got 3).'],
    [{ atomic: 'yes' }, 'atomic must be true or false (got "yes").'],
    [{ start: undefined }, 'start must be a function (got undefined).'],
    [{ snapshots: () => 1 }, 'There is no option "snapshots". Did you mean snapshot?'],
    [{ run: 3 }, 'There is no option "run". Did you mean runs?'],
    [{ plan: { instances: 1 } }, 'plan.events must be a list (got undefined).'],
    [{ plan: aPlan([], { instances: 0 }) }, 'plan.instances must be an integer from 1 (got 0).'],
    [{ plan: aPlan([], { events: [] }) }, 'plan.events must be a list that is not empty (got []).'],
    [
      { plan: { instances: 1, events: [...aPlan().events, ...aPlan().events] } },
      'plan.events must be events with different ids (got [1,1]).',
    ],
    [
      { plan: { instances: 1, events: [{ ...aPlan().events[0], at: undefined }] } },
      'plan.events[0].at must be an integer from 0 to 31536000000 (got undefined).',
    ],
    [
      { plan: aPlan([{ loose: 'response' } as PlannedAttempt]) },
      'plan.events[0].attempts[0]: There is no option "loose". Did you mean lose?',
    ],
    [
      { plan: aPlan([{}, { lose: 'resp' } as never]) },
      'plan.events[0].attempts[1].lose must be one of request, response (got "resp").',
    ],
  ])('rejects the options %j', async (options, message) => {
    const simulation = simulateDeliveries({ start: startReceiver, ...(options as object) });
    await expect(simulation).rejects.toThrow(new TypeError(`simulateDeliveries: ${message}`));
  });

  test.each([undefined, {}, { fetch: acknowledge }])(
    'rejects a start that returns %j',
    async (receiver) => {
      const simulation = simulateDeliveries({ start: () => receiver as never });
      await expect(simulation).rejects.toThrow(/start must return \{ receive \}/);
    },
  );

  test.each([
    ['random values', () => Math.random()],
    ['what the runs share', () => (snapshots += 1)],
  ])('rejects a snapshot of %s, and blames no receiver', async (_, snapshot) => {
    const simulation = simulateDeliveries({ ...withParts(), snapshot });
    await expect(simulation).rejects.toThrow(/^simulateDeliveries: snapshot must be deterministic/);
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each([
    ['a BigInt', 1n],
    ['a cycle', cycle],
  ])('rejects a snapshot with %s', async (_, state) => {
    const simulation = simulateDeliveries({ ...withParts(), snapshot: () => state });
    const message =
      /^simulateDeliveries: snapshot must return data that JSON, Map and Set can hold/;
    await expect(simulation).rejects.toThrow(message);
  });

  test('accepts a plan of a forged delivery alone', async () => {
    const plan = aPlan([], { events: [], forged: [{ at: 1, fault: 'unsigned' }] });
    expect(await simulateDeliveries({ ...withParts(), plan })).toMatchObject({ ok: true });
  });
});

describe('the judgement of a run', () => {
  test.each([
    [{ clock: 299 }, 'ok'],
    [{ clock: 301 }, 'N9 clock'],
    [{ clock: -301 }, 'N9 clock'],
  ])('names the clock if it is the cause: %j', async (more, expected) => {
    const plan = aPlan([], more);
    const { ok, counterexample } = await simulateDeliveries({ ...withParts(), plan });
    expect(ok ? 'ok' : `${counterexample?.invariant} ${counterexample?.cause}`).toBe(expected);
  });

  test('notes an effect that a crash repeated, and fails it with atomic', async () => {
    // After claim, with its two steps, the effect is the third one.
    const options = { ...withParts(), plan: aPlan([{ crash: 2 }]) };
    const noted = await simulateDeliveries(options);
    expect(noted).toMatchObject({ ok: true, repeatedByCrash: 1 });
    const { counterexample } = await simulateDeliveries({ ...options, atomic: true });
    expect(counterexample).toMatchObject({ invariant: 'N2', cause: 'crash' });
  });

  test('passes an effect and its record in one transaction with atomic', async () => {
    const start = startWith(async (request, { durable, effect, sleep }) => {
      const handled = durable('handled', () => new Set<string | null>());
      await sleep(1);
      if (!handled.has(getId(request))) {
        handled.add(getId(request));
        await effect(getId(request));
      }
      return acknowledge();
    });
    const faults = ['late', 'slow', 'copy', 'lose', 'crash'] as const;
    const result = await simulateDeliveries({ start, atomic: true, faults, runs: 8 });
    expect(result.ok, formatSimulation(result)).toBe(true);
    expect(result.crashes).toBeGreaterThan(0);
  });

  test('counts effects with different names apart', async () => {
    const start = startWith(async (request, { effect }) => {
      await effect(getId(request), 'booking');
      await effect(getId(request), 'mail');
      return acknowledge();
    });
    expect(await simulateDeliveries({ start, plan: aPlan() })).toMatchObject({ ok: true });
  });

  test.each([null, 'ord_1'])(
    'rejects an effect of %j, which is the ID of no delivery',
    async (id) => {
      const start = startWith(async (_, { effect }) => {
        // A receiver that catches whatever happens.
        await effect(id).catch(() => undefined);
        return acknowledge();
      });
      const message = `effect() needs the id of the delivery (got "${id}", which no delivery has).`;
      await expect(simulateDeliveries({ start })).rejects.toThrow(new TypeError(message));
    },
  );

  test('passes a receiver that no attempt could reach', async () => {
    const plan = aPlan(Array<PlannedAttempt>(14).fill({ lose: 'request' }));
    const result = await simulateDeliveries({ ...withParts(), plan });
    expect(result.ok, formatSimulation(result)).toBe(true);
    expect(result.judged).not.toContain('N3');
  });

  test.each([
    { names: 'N7', attempts: [], more: {}, isJudged: true },
    { names: 'N7', attempts: [{ slow: 20 }], more: {}, isJudged: false },
    { names: 'N8', attempts: [], more: { rotation: 0 }, isJudged: true },
    { names: 'N8', attempts: [], more: { rotation: 1_000 }, isJudged: false },
  ])('lists $names as judged only if a run could break it: $attempts $more', async (row) => {
    const { names, attempts, more, isJudged } = row;
    const result = await simulateDeliveries({ ...withParts(), plan: aPlan(attempts, more) });
    expect(result).toMatchObject({ ok: true });
    expect(result.judged.some((name) => name === names)).toBe(isJudged);
  });

  test('is inconclusive without effects and snapshot', async () => {
    const result = await simulateDeliveries({ start: startWith(acknowledge), faults: [], runs: 2 });
    expect(result).toMatchObject({ ok: false, counterexample: null });
    expect(formatSimulation(result)).toMatch(/^Inconclusive: the receiver never called effect\(\)/);
  });

  test('is inconclusive if effects come after the runs', async () => {
    const late: (() => void)[] = [];
    const start = (environment: SimulationEnvironment) => {
      // What a timer of the run before does.
      for (const call of late.splice(0)) call();
      return {
        receive(request: Request) {
          late.push(() => void environment.effect(getId(request)));
          return acknowledge();
        },
      };
    };
    const { inconclusive } = await simulateDeliveries({ start, faults: [], runs: 2, instances: 1 });
    expect(inconclusive).toMatch(/^the receiver called effect\(\) when its run was over/);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('rejects sleep(%d)', async (milliseconds) => {
    const start = startWith(async (_, { sleep }) => {
      await sleep(milliseconds);
      return acknowledge();
    });
    const message = `sleep() needs a number of milliseconds, a year at most (got ${milliseconds}).`;
    await expect(simulateDeliveries({ start })).rejects.toThrow(new TypeError(message));
  });

  test('is inconclusive if the receiver never ends', async () => {
    const start = startWith(async (_, { sleep }) => {
      for (;;) await sleep(0);
    });
    const { inconclusive } = await simulateDeliveries({ start, plan: aPlan() });
    expect(inconclusive).toMatch(
      /^the receiver does not end: it took more than 20000 steps in a minute/,
    );
  });

  test('follows a store that takes real time', async () => {
    const start = startWith(async (request, { wrap, effect }) => {
      const database = { query: () => new Promise((resolve) => void setTimeout(resolve, 5)) };
      await wrap(database).query();
      await effect(getId(request));
      return acknowledge();
    });
    const options = { start, realTime: true, faults: ['late' as const], runs: 1 };
    expect(await simulateDeliveries(options)).toMatchObject({ ok: true });
  });
});

describe('the counterexample of a simulation', () => {
  const { options } = mistakes.find(({ title }) => title === 'has no deduplication') ?? {};

  test('has code that fails with the mistake, and passes without it', async () => {
    const types = ['order.created' as const];
    const given = { ...(options ?? withParts()), types };
    const { counterexample } = await simulateDeliveries(given);
    const code = counterexample?.code ?? '';
    expect(code).toContain('types: ["order.created"]');
    const names = ['simulateDeliveries', 'formatSimulation', 'assert', 'start', 'snapshot'];
    const run = ({ start, snapshot }: SimulationOptions) =>
      new AsyncFunction(...names, code)(
        simulateDeliveries,
        formatSimulation,
        assert,
        start,
        snapshot,
      );
    await expect(run(given)).rejects.toThrow(/^Failed N2/);
    await run(withParts());
  });

  test('has one event if a crash alone shows the mistake', async () => {
    const start = startWith(async (request, { durable, wrap, sleep, effect }) => {
      const id = getId(request);
      const handled = wrap(durable('handled', () => new Set<string | null>()));
      if (await handled.has(id)) return acknowledge();
      await handled.add(id);
      await sleep(10);
      await effect(id);
      return acknowledge();
    });
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { counterexample } = await simulateDeliveries({
        start,
        seed,
        faults: ['late', 'crash'],
      });
      expect(counterexample, `seed ${seed}`).toMatchObject({ invariant: 'N1', isSimplest: true });
      const attempts = counterexample?.plan.events.map((event) => event.attempts);
      expect(attempts, `seed ${seed}`).toEqual([[{ crash: expect.any(Number) }]]);
    }
  });

  test('is missing if its plan does not fail again', async () => {
    let effects = 0;
    const start = startWith(async (request, { effect }) => {
      effects += Number(getId(request) === 'evt_1');
      await effect(getId(request));
      // Once, by what is no part of the simulation.
      if (effects === 2) await effect(getId(request));
      return acknowledge();
    });
    const result = await simulateDeliveries({ start, plan: aPlan() });
    expect(result).toMatchObject({ ok: false, counterexample: null });
    expect(result.inconclusive).toMatch(/^a run failed N2 with evt_1, and the same plan did not/);
  });
});

describe('formatSimulation', () => {
  test('describes what happened, why, and how to repeat it', async () => {
    const { options } = mistakes.find(({ title }) => title === 'has no deduplication') ?? {};
    const result = await simulateDeliveries({
      ...(options ?? withParts()),
      plan: aPlan([{ lose: 'response' }]),
    });
    expect(formatSimulation(result)).toBe(`\
Failed N2, an event has its effect once.
evt_1: a delivery that arrived again was handled again: remember each event by its ID, webhook-id, which is the same in every attempt.

  00:00:00.000  attempt 1 of evt_1 arrives at instance 1
  00:00:00.000  instance 1 does the work of evt_1
  00:00:00.001  instance 1 responds with 204 to attempt 1 of evt_1
  00:00:00.001  attempt 1 of evt_1 fails: the response is lost
  00:00:05.001  attempt 2 of evt_1 arrives at instance 1
  00:00:05.001  instance 1 does the work of evt_1
  00:00:05.002  instance 1 responds with 204 to attempt 2 of evt_1

This repeats it:

const result = await simulateDeliveries({ start, snapshot, plan: {"instances":1,"events":[
  {"id":1,"type":"order.created","order":1,"version":1,"at":0,"attempts":[{"lose":"response"}]}]} });
assert(result.ok, formatSimulation(result));

Runs of the given plan: 1. Deliveries: 1, requests: 2, crashes: 0.`);
  });

  test.each([1, 2])('shortens attempts that repeat, with %i instances', async (instances) => {
    const start = startWith(() => new Response(null, { status: 500 }));
    const result = await simulateDeliveries({ start, plan: aPlan([], { instances }) });
    const history = result.counterexample?.history ?? [];
    const text = formatSimulation(result);
    expect(text).toContain(`
  ${history.slice(0, 4).join('\n  ')}
  … ${history.length - 4} more lines like these, until 23:59:45.000

`);
    expect(history[3]).toMatch(
      /^00:00:05\.\d+ {2}instance \d responds with 500 to attempt 2 of evt_1$/,
    );
  });

  test('shows each line that differs from those before', async () => {
    const lost = Array<PlannedAttempt>(6).fill({ lose: 'request' });
    const { options } = mistakes.find(({ title }) => title === 'has no deduplication') ?? {};
    const plan = aPlan([...lost, { lose: 'response' }]);
    const result = await simulateDeliveries({ ...(options ?? withParts()), plan });
    const history = result.counterexample?.history ?? [];
    expect(formatSimulation(result)).toContain(`
  ${history.slice(0, 2).join('\n  ')}
  … 4 more lines like these, until ${history[5]?.split(' ')[0]}
  ${history.slice(6).join('\n  ')}

`);
  });

  test('notes that a simpler plan may be left', async () => {
    const { options } = mistakes.find(({ title }) => title === 'has no deduplication') ?? {};
    const result = await simulateDeliveries(options ?? withParts());
    const note = 'A simpler plan may show the same: simplifying ended after 400 runs.';
    expect(formatSimulation(result)).not.toContain(note);
    const { counterexample } = result;
    expect(counterexample).toMatchObject({ isSimplest: true });
    const ended = counterexample && { ...counterexample, isSimplest: false };
    expect(formatSimulation({ ...result, counterexample: ended })).toContain(note);
  });

  test('lists what was judged in a result that is as it must be', async () => {
    const result = await simulateDeliveries({ ...withParts(), plan: aPlan([{ crash: 2 }]) });
    expect(formatSimulation(result)).toBe(`\
Passed N1, N2, N3, N5, N6, N7, N9.
Runs of the given plan: 1. Deliveries: 1, requests: 4, crashes: 1.
Note: in 1 of 1, a crash between an effect and its record repeated the effect. Only one transaction for both prevents it.`);
  });
});
