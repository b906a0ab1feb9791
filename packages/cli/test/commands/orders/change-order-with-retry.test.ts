import type { Order } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { fakeTime } from '../../helpers/fake-time';
import { aProblem, type StubResponse } from '../../helpers/minimal-service';
import { outcomesOf, startPendingOrders } from '../../helpers/pending-orders';

const guarded = ['orders', 'set-status', 'confirmed', '--stdin', '--if-status', 'pending', '--yes'];

/** How a service responds: normally, with the response lost before or after the change, or otherwise. */
type Step =
  | 'as it is'
  | 'lost before'
  | 'lost after'
  | ((order: Order | undefined, reply: () => StubResponse | undefined) => StubResponse | undefined);

/** Pending orders of a service that has `ETag`s, and heeds `If-Match`. */
async function startGuardedOrders(count: number) {
  const started = await startPendingOrders(count);
  const { service, ids } = started;
  const versions = new Map(ids.map((id) => [id, 1]));
  const etagOf = (id: string) => `"${id}-${versions.get(id)}"`;
  /** Responds as such a service does; `isLost`: with 503 after the change. */
  const reply = (
    { method, path, headers }: { method: string; path: string; headers: Record<string, unknown> },
    loss: 'before' | 'after' | null,
  ) => {
    const id = path.split('/').at(-1) ?? '';
    const found = service.orders.find((order) => order.id === id);
    if (found === undefined) return undefined;
    if (loss === 'before') return { status: 503, body: '' };
    if (method === 'PATCH') {
      if (headers['if-match'] !== etagOf(id)) return aProblem(412, 'precondition_failed');
      versions.set(id, (versions.get(id) ?? 0) + 1);
      Object.assign(found, { status: 'confirmed', updatedAt: new Date().toISOString() });
      if (loss === 'after') return { status: 502, body: '<html>' };
    }
    return { status: 200, body: { data: found }, headers: { etag: etagOf(id) } };
  };
  return { ...started, reply, input: ids.join('\n') };
}

describe('orders set-status --if-status', () => {
  it.each(['before', 'after'] as const)(
    'reads an order again whose response was lost %s it was moved, and continues with the others',
    async (loss) => {
      const { service, ids, env, input, reply } = await startGuardedOrders(6);
      let isLost = false;
      service.instead = (request) => {
        const isUnlucky = request.method === 'PATCH' && request.path.endsWith('ord_3') && !isLost;
        isLost ||= isUnlucky;
        return reply(request, isUnlucky ? loss : null);
      };
      const argv = [...guarded, '--output', 'json'];
      const { exitCode, stdout } = await service.cli(argv, { env, input });
      expect(exitCode).toBe(0);
      expect(outcomesOf(stdout).map(({ outcome, from, to }) => [outcome, from, to])).toEqual(
        ids.map(() => ['updated', 'pending', 'confirmed']),
      );
      const patches = service.seen.filter(({ method, path }) => {
        return method === 'PATCH' && path.endsWith('ord_3');
      });
      expect(patches).toHaveLength(loss === 'before' ? 2 : 1);
    },
  );

  /** Returns the outcome of one guarded order; each request gets the next reply, and then the service's. */
  async function one(replies: readonly Step[]) {
    const { service, env, input, reply } = await startGuardedOrders(1);
    service.instead = (request) => {
      const step = replies[service.seen.length - 1] ?? 'as it is';
      if (step === 'as it is') return reply(request, null);
      if (step === 'lost before') return reply(request, 'before');
      if (step === 'lost after') return reply(request, 'after');
      return step(service.orders[0], () => reply(request, null));
    };
    const setting = { env, input, ...fakeTime() };
    const result = await service.cli([...guarded, '--output', 'json'], setting);
    const [outcome] = outcomesOf(result.stdout);
    const patches = service.seen.filter(({ method }) => method === 'PATCH').length;
    return { ...result, outcome, patches };
  }

  it('reports that an order may have moved if reading it again fails', async () => {
    const rejected = () => aProblem(401, 'invalid_api_key');
    const { exitCode, stderr, outcome } = await one(['as it is', 'lost after', rejected]);
    expect(exitCode).toBe(9);
    expect(outcome).toMatchObject({ outcome: 'failed', from: 'pending', code: 'http_error' });
    expect(outcome?.message).toContain('PATCH');
    expect(stderr).toContain('may have been');
  });

  it('reads an order again if its own change, slow to take effect, caused the rejection', async () => {
    // The first change takes effect only when the second is under way.
    const bySlowOne: Step = (order) => {
      if (order) order.status = 'confirmed';
      return aProblem(412, 'precondition_failed');
    };
    const { exitCode, outcome } = await one(['as it is', 'lost before', 'as it is', bySlowOne]);
    expect(exitCode).toBe(0);
    expect(outcome).toMatchObject({ outcome: 'updated', from: 'pending', to: 'confirmed' });
  });

  it('does not report an order as skipped that moved on after a change without a response', async () => {
    const wentOn: Step = (order, reply) => {
      if (order) order.status = 'fulfilling';
      return reply();
    };
    const { exitCode, stderr, outcome } = await one(['as it is', 'lost after', wentOn]);
    expect(exitCode).toBe(1);
    expect(outcome).toMatchObject({ outcome: 'failed', from: 'pending', code: 'in_doubt' });
    expect(outcome?.message).toContain('now fulfilling. It is unknown whether the order was moved');
    expect(stderr).not.toContain('left alone');
    expect(stderr).toContain('1 order in doubt');
  });

  const limits = [
    [429, 'rate_limited', 'Rate limited'],
    [503, 'overloaded', 'The service is overloaded'],
  ] as const;

  it.each(limits)(
    'does not wait as long as a service requests with %i %s if that is too long for a person',
    async (status, code) => {
      const slow = () => ({ ...aProblem(status, code), headers: { 'retry-after': '3600' } });
      const { exitCode, outcome, patches } = await one([slow]);
      expect(exitCode).toBe(1);
      expect(outcome).toMatchObject({ outcome: 'failed', code });
      expect(patches).toBe(0);
    },
  );

  it.each(limits)(
    'reports after %i %s, at the end of --reconnect-timeout, that the order was not moved',
    async (status, code) => {
      const full: Step = () => ({ ...aProblem(status, code), headers: { 'retry-after': '100' } });
      const rounds = Array.from({ length: 9 }, () => ['as it is', full] as const).flat();
      const { exitCode, stderr, outcome, patches } = await one(rounds);
      expect(exitCode).toBe(1);
      // At 0, 100, 200 and 300 s.
      expect(patches).toBe(4);
      expect(outcome).toMatchObject({ outcome: 'failed', from: 'pending', code });
      expect(outcome?.message).toBe(`Detail of ${code}.`);
      expect(stderr).not.toMatch(/may have been|in doubt|unknown/);
    },
  );

  it('skips an order that another client moved after 503 overloaded, without any doubt', async () => {
    const full: Step = (order) => {
      if (order) order.status = 'fulfilling';
      return { ...aProblem(503, 'overloaded'), headers: { 'retry-after': '200' } };
    };
    const { exitCode, outcome } = await one(['as it is', full]);
    expect(exitCode).toBe(0);
    expect(outcome).toMatchObject({ outcome: 'skipped', code: 'precondition_failed' });
  });

  it('remembers a lost response when the next attempt is rejected with 503 overloaded', async () => {
    const full: Step = () => ({
      ...aProblem(503, 'overloaded'),
      headers: { 'retry-after': '200' },
    });
    const { exitCode, outcome } = await one(['as it is', 'lost after', full]);
    expect(exitCode).toBe(0);
    expect(outcome).toMatchObject({ outcome: 'updated', from: 'pending', to: 'confirmed' });
  });

  it('repeats a change after 503 shutting_down, which did not start it', async () => {
    const stopping: Step = () => ({
      ...aProblem(503, 'shutting_down'),
      headers: { 'retry-after': '200' },
    });
    const { exitCode, outcome, patches } = await one(['as it is', stopping]);
    expect(exitCode).toBe(0);
    expect(outcome).toMatchObject({ outcome: 'updated', from: 'pending', to: 'confirmed' });
    expect(patches).toBe(2);
  });

  it.each(limits)(
    'exits 130 when it is interrupted while the last order waits after %i %s',
    async (status, code, notice) => {
      const { service, env, input } = await startGuardedOrders(1);
      service.instead = () => ({
        ...aProblem(status, code),
        headers: { 'retry-after': '200' },
      });
      const interrupt = new AbortController();
      const wait = async () => interrupt.abort();
      const setting = { env, input, wait, signal: interrupt.signal };
      const { exitCode, stderr } = await service.cli(guarded, setting);
      expect(exitCode).toBe(130);
      expect(stderr).toContain(`${notice}; retrying in 200 s.`);
      expect(stderr).toContain('Resume with: `tradepost orders set-status --resume ');
    },
  );

  it.each(limits)('waits after %i %s, and reports it once', async (status, code, notice) => {
    const { service, ids, env, input, reply } = await startGuardedOrders(4);
    let rejected = 0;
    service.instead = (request) => {
      if (!request.path.endsWith('ord_2') || rejected >= 5) return reply(request, null);
      rejected += 1;
      return { ...aProblem(status, code), headers: { 'retry-after': '0' } };
    };
    const { exitCode, stderr } = await service.cli(guarded, { env, input, ...fakeTime() });
    expect(exitCode).toBe(0);
    expect(stderr.split(`${notice}; retrying.`)).toHaveLength(2);
    expect(service.orders.map(({ status }) => status)).toEqual(ids.map(() => 'confirmed'));
  });
});

describe('orders set-status', () => {
  it('does not report an order as moved that already had the status, and sends no change', async () => {
    const { service, env } = await startPendingOrders(2);
    service.orders[0] = anOrder({ id: 'ord_1', status: 'confirmed' });
    const argv = ['orders', 'set-status', 'ord_1', 'ord_2', 'confirmed', '--yes'];
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--output', 'json'], { env });
    expect(exitCode).toBe(0);
    expect(outcomesOf(stdout).map(({ outcome }) => outcome)).toEqual(['unchanged', 'updated']);
    expect(stderr).toContain('2 orders: 1 moved to confirmed, 1 already confirmed.');
    const changed = service.seen.filter(({ method }) => method === 'PATCH');
    expect(changed.map(({ path }) => path)).toEqual(['/v1/orders/ord_2']);
  });
});
