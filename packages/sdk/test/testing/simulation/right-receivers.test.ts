import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  formatSimulation,
  type SimulationEnvironment,
  simulateDeliveries,
} from '../../../src/testing/index';
import { correct, createStore, verifyWith, withParts } from './mistakes';

/** Handles each delivery once, with a table of claims that survives crashes. */
async function handleOnce(
  id: string | null,
  { durable, wrap, now, effect }: SimulationEnvironment,
) {
  const claims = wrap(durable('claims', () => createStore(now)));
  const state = await claims.claim(String(id));
  if (state !== 'acquired')
    return new Response(null, { status: state === 'completed' ? 204 : 503 });
  await effect(id);
  await claims.complete(String(id));
  return new Response(null, { status: 204 });
}

/** Whether `webhook-signature` is right, by the specification of Standard Webhooks. */
async function isSigned(request: Request, { secrets, now }: SimulationEnvironment) {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => request.headers.get(`webhook-${name}`) ?? '',
  );
  if (Math.abs(now() / 1_000 - Number(timestamp)) > 300) return false;
  const content = `${id}.${timestamp}.${await request.clone().text()}`;
  const expected = secrets().map((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return signatures?.split(' ').some((one) => expected.includes(one)) ?? false;
}

/** Starts a receiver that stores a job and responds. A worker of the same process does the work, and looks for jobs so often. */
const startWithQueue = (everyMs: number) => (environment: SimulationEnvironment) => {
  const { durable, wrap, sleep, effect } = environment;
  const jobs = durable('jobs', () => new Map<string, 'waiting' | 'done'>());
  const queue = wrap({
    add: (id: string) => void (jobs.has(id) || jobs.set(id, 'waiting')),
    take: () => [...jobs].find(([, state]) => state === 'waiting')?.[0],
  });
  const work = async () => {
    for (;;) {
      await sleep(everyMs);
      for (let id = await queue.take(); id; id = await queue.take()) {
        // Both in one transaction, so that two workers do not do the same.
        if (jobs.get(id) === 'done') continue;
        jobs.set(id, 'done');
        await effect(id);
      }
    }
  };
  void work();
  return {
    async receive(request: Request) {
      try {
        const { id } = await verifyWith(request, environment);
        await queue.add(String(id));
        return new Response(null, { status: 202 });
      } catch {
        return new Response(null, { status: 400 });
      }
    },
  };
};

describe('a simulation finds nothing in a receiver', () => {
  test('that verifies webhook-signature alone', async () => {
    const result = await simulateDeliveries({
      start: (environment) => ({
        receive: async (request) =>
          (await isSigned(request, environment))
            ? handleOnce(request.headers.get('webhook-id'), environment)
            : new Response(null, { status: 401 }),
      }),
      faults: ['forged', 'rotation', 'clock'],
      runs: 12,
    });
    expect(result.ok, formatSimulation(result)).toBe(true);
    expect(result.judged).toContain('N4');
  });

  test('that responds with 409 while another request handles the event', async () => {
    const handle: typeof correct.handle = async (tools) => {
      const status = await correct.handle(tools);
      return status === 503 ? 409 : status;
    };
    const result = await simulateDeliveries({ ...withParts({ handle }), runs: 12 });
    expect(result.ok, formatSimulation(result)).toBe(true);
  });

  // A day of polling each second is hundreds of thousands of steps.
  test.each([
    { everyMs: 1_000, runs: 1, seed: 16 },
    { everyMs: 60_000, runs: 8, seed: 1 },
  ])(
    'that stores a job for a worker that polls every $everyMs ms',
    async ({ everyMs, ...more }) => {
      const result = await simulateDeliveries({ start: startWithQueue(everyMs), ...more });
      expect(result.ok, formatSimulation(result)).toBe(true);
      expect(result).toMatchObject({ runs: more.runs, deliveries: 6 * more.runs });
      expect(result.crashes).toBeGreaterThan(0);
    },
  );
});
