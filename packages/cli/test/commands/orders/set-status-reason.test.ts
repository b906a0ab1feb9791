import { describe, expect, it } from 'vitest';
import { aProblem } from '../../helpers/minimal-service';
import { outcomesOf, startPendingOrders } from '../../helpers/pending-orders';
import { runCli } from '../../helpers/run-cli';

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

const futile =
  'The journal has the reason, and --resume would send it again: start a new run without --reason.';

it('the help names the limits of a reason', async () => {
  const { stdout } = await runCli([...set, '--help']);
  const [, description] = /--reason <text> +(.*\n(?: {6}.*\n)*)/.exec(stdout) ?? [];
  expect(description).toContain('1 to 500 characters on one line');
});

describe('a reason that a service rejects', () => {
  it('is named with what to do', async () => {
    const { service, env } = await startRejecting(1, unknownField);
    const argv = [...set, 'ord_1', 'confirmed', ...reason];
    const { exitCode, stdout, stderr } = await service.cli(argv, { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('  reason: unknown field\n');
    expect(stderr).toContain(
      'hint: This service does not accept --reason, an extension of the API: omit it.\n',
    );
    const json = await service.cli([...argv, '--output', 'json'], { env });
    expect(JSON.parse(json.stderr).error).toMatchObject({
      code: 'validation_failed',
      status: 422,
      requestId: 'req_1',
      errors: [{ path: 'reason', message: 'unknown field' }],
    });
  });

  it.each([
    ['a list of issues', unknownField],
    ['a problem without one', aProblem(400, 'bad_request', { detail: 'Unknown field: reason.' })],
    ['another body', { status: 400, body: { message: 'Unrecognized key "reason" in body' } }],
  ])(
    'ends a bulk change, which is not resumed with it, if it is named in %s',
    async (_, response) => {
      const { service, env, file } = await startRejecting(20, response);
      const ids = service.orders.map(({ id }) => id);
      const argv = [...set, ...ids, 'confirmed', '--yes', '--journal', file, ...reason];
      const options = ['--concurrency', '2', '--output', 'json'];
      const { exitCode, stdout, stderr } = await service.cli([...argv, ...options], { env });
      expect(exitCode).toBe(2);
      expect(service.seen.length).toBeLessThanOrEqual(2);
      const kinds = new Set(outcomesOf(stdout).map(({ outcome }) => outcome));
      expect(kinds).toEqual(new Set(['failed', 'not_attempted']));
      expect(stderr).toContain('omit it.');
      expect(stderr).toContain(futile);
      expect(stderr).not.toContain('Resume with');
    },
  );

  it('may be why a service gives none, which the hint says', async () => {
    const { service, env } = await startRejecting(1, { status: 400, body: undefined });
    const { exitCode, stderr } = await service.cli([...set, 'ord_1', 'confirmed', ...reason], {
      env,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'If this service does not have --reason, an extension of the API, omit it.\n',
    );
  });

  it('may be why a bulk change failed, and again after --resume', async () => {
    const { service, env, file } = await startPendingOrders(3);
    service.isStrict = true;
    const argv = [...set, 'ord_1', 'ord_2', 'ord_3', 'confirmed', '--yes', '--journal', file];
    for (const words of [
      [...argv, ...reason],
      [...set, '--resume', file, '--yes'],
    ]) {
      const { exitCode, stderr } = await service.cli(words, { env });
      expect(exitCode).toBe(1);
      expect(stderr).toContain(
        `If this service does not have --reason, an extension of the API, omit it. ${futile}\n`,
      );
      expect(stderr).not.toContain('Resume with');
    }
  });

  it('may be why some orders of a bulk change failed, which is said once', async () => {
    const { service, env, file } = await startPendingOrders(3);
    service.isStrict = true;
    service.instead = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('ord_2') ? aProblem(500, 'internal_error') : undefined;
    const argv = [...set, 'ord_1', 'ord_2', 'ord_3', 'confirmed', '--yes', '--journal', file];
    const wait = async () => {};
    const options = ['--reconnect-timeout', '0', ...reason];
    const { stderr } = await service.cli([...argv, ...options], { env, wait });
    const cause = 'This service may not have --reason, an extension of the API.';
    expect(stderr).toContain(`${cause} ${futile}`);
    expect(stderr.split('--reason')).toHaveLength(3);
    expect(stderr).toContain('Resume with');
  });

  it.each([
    [{ errors: [{ path: 'status', message: 'cannot be confirmed' }] }],
    [{ detail: 'The order cannot be moved for this reason: it is locked by a dispute.' }],
  ])('is not blamed for what the service says is wrong: %j', async (problem) => {
    const { service, env } = await startRejecting(3, aProblem(422, 'validation_failed', problem));
    const argv = [...set, 'ord_1', 'ord_2', 'ord_3', 'confirmed', '--yes', ...reason];
    const { exitCode, stderr } = await service.cli(argv, { env });
    expect(exitCode).toBe(1);
    expect(service.seen).toHaveLength(3);
    expect(stderr).not.toContain('--reason');
  });

  it('is not blamed where none was given', async () => {
    const { service, env } = await startRejecting(1, { status: 400, body: undefined });
    const { stderr } = await service.cli([...set, 'ord_1', 'confirmed'], { env });
    expect(stderr).not.toContain('--reason');
  });

  it('does not hide that an earlier attempt may have been applied', async () => {
    const { service, env } = await startPendingOrders(1);
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
