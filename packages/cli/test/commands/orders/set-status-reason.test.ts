import { describe, expect, it } from 'vitest';
import { aProblem } from '../../helpers/minimal-service';
import { outcomesOf, startPendingOrders } from '../../helpers/pending-orders';

const set = ['orders', 'set-status'];
const reason = ['--reason', 'Paid.'];

/** A service that responds to each change like this. */
async function startRejecting(count: number, response: ReturnType<typeof aProblem>) {
  const started = await startPendingOrders(count);
  started.service.instead = ({ method }) => (method === 'PATCH' ? response : undefined);
  return started;
}

const unknownField = aProblem(422, 'validation_failed', {
  detail: 'The body has a field that does not exist.',
  errors: [{ path: 'reason', message: 'unknown field' }],
});

describe('a reason that a service rejects', () => {
  it('is named with what to do', async () => {
    const { service, env } = await startRejecting(1, unknownField);
    const argv = [...set, 'ord_1', 'confirmed', ...reason];
    expect(await service.cli(argv, { env })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: The service rejected the reason: PATCH /v1/orders/ord_1 failed with 422 validation_failed: The body has a field that does not exist. (request req_1)\n' +
        'hint: A reason is an extension of the API that this service may not have: omit --reason.\n',
    });
  });

  it('ends a bulk change, which is not resumed with the same reason', async () => {
    const { service, env, file } = await startRejecting(20, unknownField);
    const ids = service.orders.map(({ id }) => id);
    const argv = [...set, ...ids, 'confirmed', '--yes', '--journal', file, ...reason];
    const options = ['--concurrency', '2', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli([...argv, ...options], { env });
    expect(exitCode).toBe(2);
    const kinds = outcomesOf(stdout).map(({ outcome, code }) => code ?? outcome);
    expect(service.seen.length).toBeLessThanOrEqual(2);
    expect(new Set(kinds)).toEqual(new Set(['reason_rejected', 'not_attempted']));
    expect(stderr).toContain('omit --reason.');
    expect(stderr).not.toContain('--resume');
  });

  it('may be why a service gives none, which the hint says', async () => {
    const { service, env } = await startRejecting(1, { status: 400, body: undefined });
    const { exitCode, stderr } = await service.cli([...set, 'ord_1', 'confirmed', ...reason], {
      env,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'hint: If this service does not have --reason, an extension of the API, omit it.\n',
    );
  });

  it('is not blamed for what the service says is wrong', async () => {
    const transition = aProblem(422, 'validation_failed', {
      errors: [{ path: 'status', message: 'cannot be confirmed' }],
    });
    const { service, env } = await startRejecting(1, transition);
    const { stderr } = await service.cli([...set, 'ord_1', 'confirmed', ...reason], { env });
    expect(stderr).toContain('cannot be confirmed');
    expect(stderr).not.toContain('--reason');
  });

  it('is not blamed where none was given', async () => {
    const { service, env } = await startRejecting(1, { status: 400, body: undefined });
    const { stderr } = await service.cli([...set, 'ord_1', 'confirmed'], { env });
    expect(stderr).not.toContain('--reason');
  });
});
