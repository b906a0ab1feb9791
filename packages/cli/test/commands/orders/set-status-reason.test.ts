import { describe, expect, it } from 'vitest';
import { outcomesOf, startPendingOrders } from '../../helpers/pending-orders';
import { runCli } from '../../helpers/run-cli';

const set = ['orders', 'set-status'];
const reason = ['--reason', 'Paid.'];

const missing =
  'error: --reason needs the extension orders.reason of the API, which this service does not have';

it('the help names the limits of a reason', async () => {
  const { stdout } = await runCli([...set, '--help']);
  const [, description] = /--reason <text> +(.*\n(?: {6}.*\n)*)/.exec(stdout) ?? [];
  expect(description).toContain('1 to 500 characters on one line');
});

describe('a reason', () => {
  it.each([false, true])(
    'is an error before a change if the service does not have it, and rejects it: %s',
    async (isStrict) => {
      const { service, env } = await startPendingOrders(1);
      service.isStrict = isStrict;
      const argv = [...set, 'ord_1', 'confirmed', ...reason];
      const { exitCode, stdout, stderr } = await service.cli(argv, { env });
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe(`${missing}\nhint: Omit --reason.\n`);
      expect(service.seen.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  it('ends a bulk change of a service that does not have it, which is not resumed', async () => {
    const { service, env, file } = await startPendingOrders(20);
    const ids = service.orders.map(({ id }) => id);
    const argv = [...set, ...ids, 'confirmed', '--yes', '--journal', file, ...reason];
    const options = ['--concurrency', '2', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli([...argv, ...options], { env });
    expect(exitCode).toBe(2);
    expect(service.seen.length).toBeLessThanOrEqual(2);
    const kinds = new Set(outcomesOf(stdout).map(({ outcome }) => outcome));
    expect(kinds).toEqual(new Set(['failed', 'not_attempted']));
    expect(stderr).toContain('start a new run without --reason.');
    expect(stderr).not.toContain('Resume with');
  });

  it('is sent with each change', async () => {
    const { service, env } = await startPendingOrders(2);
    service.extensions = ['orders.reason'];
    const ids = service.orders.map(({ id }) => id);
    const argv = [...set, ...ids, 'confirmed', '--yes', '--concurrency', '1', ...reason];
    expect((await service.cli(argv, { env })).exitCode).toBe(0);
    const patches = service.seen.filter(({ method }) => method === 'PATCH');
    const body = { status: 'confirmed', reason: 'Paid.' };
    expect(patches.map((one) => one.body)).toEqual([body, body]);
  });

  it('does not hide that an earlier attempt may have been applied', async () => {
    const { service, env } = await startPendingOrders(1);
    service.extensions = ['orders.reason'];
    let attempts = 0;
    service.instead = ({ method }) => {
      if (method !== 'PATCH') return undefined;
      attempts += 1;
      return attempts === 1 ? { status: 502, body: undefined } : { status: 422, body: undefined };
    };
    const argv = [...set, 'ord_1', 'confirmed', ...reason];
    const { stderr } = await service.cli(argv, { env });
    expect(stderr).toContain('hint: The change may have been applied. Check');
    expect(stderr).not.toContain('--reason');
  });
});
