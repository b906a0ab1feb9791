import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPacer } from '../../src/http/pacer';

/** A service with a limit, other clients of the same key, and calls of one client. */
interface Scenario {
  limit: number;
  windowMs: number;
  /** Whether responses have `RateLimit` and `RateLimit-Policy`. */
  namesQuota: boolean;
  /** When calls start, and how long their requests take to the service and back, in milliseconds. */
  calls: { at: number; there: number; back: number; deadline: number; abortAfter: number | null }[];
  /** When other clients send a request. */
  others: number[];
  random: number;
}

const milliseconds = (max: number) => fc.nat({ max });

const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  limit: fc.integer({ min: 1, max: 40 }),
  windowMs: fc.constantFrom(1_000, 10_000, 60_000),
  namesQuota: fc.boolean(),
  calls: fc.array(
    fc.record({
      at: milliseconds(70_000),
      there: milliseconds(900),
      back: milliseconds(900),
      deadline: fc.integer({ min: 1, max: 200_000 }),
      abortAfter: fc.option(milliseconds(60_000), { freq: 4 }),
    }),
    { minLength: 1, maxLength: 120 },
  ),
  others: fc.array(milliseconds(70_000), { maxLength: 40 }),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
});

/** A pacer of a service that has sent these responses, one after the other, at the time 0. */
function pacerAfter(...responses: { status?: number; headers: Record<string, string> }[]) {
  const pacer = createPacer({ elapsed: () => 0, now: () => 0, random: () => 0 });
  for (const { status = 200, headers } of responses) {
    expect(pacer.enter(false)).toBe(true);
    pacer.leave(false, 0, { status, headers: new Headers(headers) });
  }
  return pacer;
}

const aTurn = { isRetry: false, polls: false, deadlineAt: 10_000, onWait: () => undefined };

test.each([
  [
    'a short Retry-After after a long quota that is not used up',
    { headers: { ratelimit: '"hour"; r=900; t=3600' } },
    { status: 429, headers: { 'retry-after': '2' } },
    2_000,
  ],
  [
    'a short quota that is used up after a long one that is not',
    { headers: { ratelimit: '"day"; r=20; t=80000' } },
    { headers: { ratelimit: '"burst"; r=0; t=2' } },
    2_000,
  ],
  [
    'the longer of two quotas that are used up',
    { headers: {} },
    { headers: { ratelimit: '"burst"; r=0; t=2, "hour"; r=0; t=8' } },
    8_000,
  ],
])('calls wait for %s', async (_, first, second, expected) => {
  const pacer = pacerAfter(first, second);
  const waits: number[] = [];
  const wait = async (milliseconds: number) => {
    waits.push(milliseconds);
  };
  expect(await pacer.queue({ ...aTurn, wait }, new AbortController().signal)).toBeUndefined();
  expect(waits).toEqual([expected]);
});

test('retries are sent before first attempts, and both in the order in which they came', async () => {
  const pacer = pacerAfter({ status: 429, headers: { 'retry-after': '5' } });
  let renew = () => {};
  const renewal = new Promise<void>((resolve) => {
    renew = resolve;
  });
  const order: string[] = [];
  const turns = ['call 1', 'retry 1', 'call 2', 'retry 2', 'retry 3'].map(async (name) => {
    const turn = { ...aTurn, wait: () => renewal, isRetry: name.startsWith('retry') };
    await pacer.queue(turn, new AbortController().signal);
    order.push(name);
    pacer.leave(false, 0, { status: 200, headers: new Headers() });
  });
  renew();
  await Promise.all(turns);
  expect(order).toEqual(['retry 1', 'retry 2', 'retry 3', 'call 1', 'call 2']);
});

test('a wait that rejects when it is aborted takes no other call out of the queue', async () => {
  const pacer = pacerAfter({ headers: {} });
  for (let sent = 0; sent < 3; sent += 1) pacer.enter(false);
  pacer.leave(false, 0, { status: 429, headers: new Headers({ 'retry-after': '5' }) });
  const wait = (_: number, signal: AbortSignal | undefined) =>
    new Promise<void>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  const { signal } = new AbortController();
  const turns = [1, 2, 3].map(() => pacer.queue({ ...aTurn, wait }, signal));
  const quota = (left: number, seconds: number) => ({
    status: 200,
    headers: new Headers({ ratelimit: `"requests"; r=${left}; t=${seconds}` }),
  });
  // There is one more: the first enters, and its wait is aborted.
  pacer.leave(false, 0, quota(2, 60));
  await turns[0];
  await new Promise(setImmediate);
  pacer.leave(false, 0, quota(9, 120));
  expect(await Promise.all(turns)).toEqual([undefined, undefined, undefined]);
});

/** Events in the order of their times. */
class Agenda {
  now = 0;
  readonly #events: { at: number; run: () => void }[] = [];

  /** Adds an event. Returns the function that removes it. */
  add(at: number, run: () => void): () => void {
    const event = { at, run };
    const index = this.#events.findIndex((other) => other.at > at);
    this.#events.splice(index < 0 ? this.#events.length : index, 0, event);
    return () => {
      const position = this.#events.indexOf(event);
      if (position >= 0) this.#events.splice(position, 1);
    };
  }

  async run(): Promise<void> {
    for (let event = this.#events.shift(); event; event = this.#events.shift()) {
      this.now = Math.max(this.now, event.at);
      event.run();
      // Promises settle before the next event.
      await new Promise(setImmediate);
    }
  }
}

/** Runs a scenario to its end, and checks at each request whether it may be sent. */
async function simulate({ limit, windowMs, namesQuota, calls, others, random }: Scenario) {
  const agenda = new Agenda();
  const elapsed = () => agenda.now;
  const pacer = createPacer({ elapsed, now: elapsed, random: () => random });
  let endsAt = 0;
  let count = 0;
  let inFlight = 0;
  /** The fewest requests that a response of the current window said to be left. */
  let known = { left: Number.POSITIVE_INFINITY, until: 0 };
  let timers = 0;
  const entered: number[] = [];
  const outcomes: string[] = [];
  const violations: string[] = [];

  function respond(): { status: number; headers: Headers } {
    if (agenda.now >= endsAt) {
      endsAt = agenda.now + windowMs;
      count = 0;
    }
    count += 1;
    const seconds = Math.ceil((endsAt - agenda.now) / 1_000);
    const left = Math.max(0, limit - count);
    const status = count > limit ? 429 : 200;
    const headers = new Headers(status === 429 ? { 'retry-after': String(seconds) } : {});
    if (namesQuota) {
      headers.set('ratelimit', `"requests"; r=${left}; t=${seconds}`);
      headers.set('ratelimit-policy', `"requests"; q=${limit}; w=${windowMs / 1_000}`);
    }
    return { status, headers };
  }

  function send(index: number): void {
    const { there = 0, back = 0 } = calls[index] ?? {};
    entered.push(index);
    inFlight += 1;
    // Nothing is known once the window is over.
    const unknown = known.until > 0 ? Math.min(32, limit) : 32;
    const most = agenda.now < known.until ? known.left : namesQuota ? unknown : calls.length;
    if (inFlight > most) violations.push(`${inFlight} in flight, ${most} left at ${agenda.now} ms`);
    const sentAt = agenda.now;
    agenda.add(sentAt + there, () => {
      const response = respond();
      agenda.add(agenda.now + back, () => {
        inFlight -= 1;
        if (namesQuota) {
          const [, left, seconds] = /r=(\d+); t=(\d+)/.exec(
            response.headers.get('ratelimit') ?? '',
          ) as unknown as [string, number, number];
          const until = agenda.now + Number(seconds) * 1_000;
          const isLater = sentAt + (Number(seconds) - 1) * 1_000 >= known.until;
          known = isLater
            ? { left: Number(left), until }
            : { ...known, left: Math.min(known.left, Number(left)) };
        }
        outcomes[index] = String(response.status);
        pacer.leave(false, sentAt, response);
      });
    });
  }

  calls.forEach(({ at, deadline, abortAfter }, index) => {
    agenda.add(at, () => {
      if (pacer.enter(false)) return send(index);
      const stop = new AbortController();
      const cancels = [
        agenda.add(at + deadline, () => end('timeout')),
        ...(abortAfter === null ? [] : [agenda.add(at + abortAfter, () => end('aborted'))]),
      ];
      const end = (outcome: string) => {
        outcomes[index] = outcome;
        for (const cancel of cancels) cancel();
        stop.abort();
      };
      const turn = {
        isRetry: false,
        polls: false,
        deadlineAt: at + deadline,
        onWait: () => undefined,
        wait: (length: number, signal: AbortSignal | undefined) =>
          new Promise<void>((resolve) => {
            timers += 1;
            const done = () => {
              timers -= 1;
              cancel();
              resolve();
            };
            const cancel = agenda.add(agenda.now + length, done);
            signal?.addEventListener('abort', done, { once: true });
          }),
      };
      void pacer.queue(turn, stop.signal).then((late) => {
        for (const cancel of cancels) cancel();
        if (late === undefined) send(index);
        else outcomes[index] = 'late';
      });
    });
  });
  for (const at of others) agenda.add(at, () => respond());
  await agenda.run();
  return { entered, outcomes, violations, timers, inFlight };
}

test('whatever the quota, the latencies and other clients, no more requests are in flight than are left', async () => {
  await fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      const { entered, outcomes, violations, timers, inFlight } = await simulate(scenario);
      expect(violations).toEqual([]);
      // Every call has ended, once, and nothing is left behind.
      expect(outcomes.filter(Boolean)).toHaveLength(scenario.calls.length);
      expect(new Set(entered).size).toBe(entered.length);
      expect(inFlight).toBe(0);
      expect(timers).toBe(0);
      // They were sent in the order in which they came.
      const order = scenario.calls.map((_, index) => index);
      order.sort((one, other) => at(scenario, one) - at(scenario, other));
      expect(entered).toEqual(order.filter((index) => entered.includes(index)));
    }),
    { numRuns: 100 },
  );
});

function at({ calls }: Scenario, index: number): number {
  return calls[index]?.at ?? 0;
}

test('a request that is given up just when it may be sent is not in flight', async () => {
  const clock = { elapsed: () => 0, now: () => 0, random: () => 0 };
  const { enter, queue, leave } = createPacer(clock);
  const enterAll = () => Array.from({ length: 40 }, () => enter(false)).filter(Boolean).length;
  expect(enterAll()).toBe(32);
  const stop = new AbortController();
  const turn = {
    isRetry: false,
    polls: false,
    deadlineAt: 1_000,
    wait: async () => undefined,
    onWait: () => undefined,
  };
  const entered = queue(turn, stop.signal);
  leave(false, 0, undefined);
  stop.abort();
  expect(await entered).toBeUndefined();
  expect(enterAll()).toBe(1);
});
