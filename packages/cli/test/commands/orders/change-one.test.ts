import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { aProblem } from '../../helpers/minimal-service';
import { startPendingOrders } from '../../helpers/pending-orders';
import { runAtKeyboard } from '../../helpers/run-at-keyboard';

const set = ['orders', 'set-status', 'ord_1'];

/** A service with one pending order, and the environment of a person who uses it. */
async function startOne() {
  const { service, env } = await startPendingOrders(1);
  const patches = () => service.seen.filter(({ method }) => method === 'PATCH');
  const person = {
    ...env,
    TRADEPOST_API_KEY: 'tpk_test',
    TRADEPOST_BASE_URL: service.baseUrl,
    TRADEPOST_CONFIG_DIR: '/dev/null/config',
  };
  return { service, env, person, patches };
}

describe('orders set-status of one order', () => {
  it('prints the status before and after', async () => {
    const { service, env } = await startOne();
    expect(await service.cli([...set, 'confirmed'], { env })).toEqual({
      exitCode: 0,
      stdout: 'ord_1 pending → confirmed\n',
      stderr: '',
    });
  });

  it('breaks no word on a narrow terminal', async () => {
    const { service, env } = await startOne();
    const options = { env, screen: { columns: 20 } };
    const { stdout } = await service.cli([...set, 'confirmed'], options);
    expect(stdout).toBe('ord_1 pending →\n  confirmed\n');
  });

  it('prints the fields of the order that were requested', async () => {
    const { service, env } = await startOne();
    const { stdout } = await service.cli([...set, 'confirmed', '--fields', 'status'], { env });
    expect(stdout).toBe('status  confirmed\n');
  });

  it.each([
    ['table', ''],
    ['csv', 'id,status'],
  ])('reports with --output %s that the order has the status already', async (output, printed) => {
    const { service, env, patches } = await startOne();
    service.orders = [anOrder({ id: 'ord_1', status: 'cancelled' })];
    const argv = [...set, 'cancelled', '--output', output];
    const { exitCode, stdout, stderr } = await service.cli(argv, { env });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Already cancelled; nothing changed.\n',
    });
    expect(stdout.slice(0, printed.length)).toBe(printed);
    expect(patches()).toEqual([]);
  });

  it('says that a reason was not stored if the order has the status', async () => {
    const { service, env } = await startOne();
    service.extensions = ['orders.reason'];
    service.orders = [anOrder({ id: 'ord_1', status: 'confirmed' })];
    const argv = ['orders', 'set-status', 'ord_1', 'confirmed', '--reason', 'Paid.'];
    expect(await service.cli(argv, { env })).toMatchObject({
      exitCode: 0,
      stderr: 'Already confirmed; nothing changed. The reason was not stored.\n',
    });
  });

  it('believes the service that says another request made the change', async () => {
    const { service, env } = await startOne();
    service.instead = ({ method }) =>
      method === 'PATCH'
        ? {
            status: 200,
            body: { data: anOrder({ id: 'ord_1', status: 'confirmed' }) },
            headers: { 'tradepost-changed': 'false' },
          }
        : undefined;
    expect(await service.cli([...set, 'confirmed'], { env })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Already confirmed; nothing changed.\n',
    });
  });

  it('reads the order again when another client changes it in between', async () => {
    const { service, env, patches } = await startOne();
    let version = 1;
    service.instead = ({ method, headers }) => {
      const [order] = service.orders;
      if (method === 'PATCH' && headers['if-match'] === '"1"') {
        Object.assign(order ?? {}, { status: 'confirmed' });
        version = 2;
        return aProblem(412, 'precondition_failed');
      }
      if (method === 'PATCH') return undefined;
      return { status: 200, body: { data: order }, headers: { etag: `"${version}"` } };
    };
    const { exitCode, stdout } = await service.cli([...set, 'fulfilling'], { env });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'ord_1 confirmed → fulfilling\n',
    });
    expect(patches().map(({ headers }) => headers['if-match'])).toEqual(['"1"', '"2"']);
  });

  it('is not an error if --if-status skips it, unless --fail-on-skip is given', async () => {
    const { service, env, patches } = await startOne();
    const argv = [...set, 'fulfilling', '--if-status', 'confirmed'];
    expect(await service.cli(argv, { env })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Skipped: pending, not confirmed. Nothing changed.\n',
    });
    const strict = await service.cli([...argv, '--fail-on-skip'], { env });
    expect(strict).toMatchObject({ exitCode: 6, stdout: '' });
    expect(strict.stderr).toContain('error: Skipped: pending, not confirmed\n');
    expect(patches()).toEqual([]);
  });

  it('asks on a terminal before a final status, and changes nothing after a no', async () => {
    const { person, patches, service } = await startOne();
    const question = 'Cancel ord_1 (pending)? This is final.';
    const declined = await runAtKeyboard([...set, 'cancelled'], [[question, '\r']], person);
    expect(declined).toMatchObject({ exitCode: 1, stdout: '' });
    expect(declined.stderr).toContain('error: Cancelled. Nothing changed.\n');
    expect(patches()).toEqual([]);
    const agreed = await runAtKeyboard([...set, 'cancelled'], [[question, 'y']], person);
    expect(agreed).toMatchObject({ exitCode: 0, stdout: 'ord_1 pending → cancelled\n' });
    expect(service.orders[0]?.status).toBe('cancelled');
  });

  it('escapes what the service sent in its question', async () => {
    const { person, service } = await startOne();
    service.orders[0] = { ...anOrder({ id: 'ord_1' }), status: 'new\u001b[2J' as never };
    const question = 'Cancel ord_1 (new\\u001b[2J)? This is final.';
    const { exitCode } = await runAtKeyboard([...set, 'cancelled'], [[question, '\r']], person);
    expect(exitCode).toBe(1);
  });

  it.each([
    ['a status that is not final', ['confirmed'], 0],
    ['--yes', ['cancelled', '--yes'], 0],
    ['a transition that the service rejects', ['completed'], 6],
  ])('does not ask on a terminal with %s', async (_, args, code) => {
    const { service, person } = await startOne();
    service.instead = ({ body }) =>
      body && JSON.stringify(body).includes('completed')
        ? aProblem(409, 'invalid_transition')
        : undefined;
    const { exitCode, stderr } = await runAtKeyboard([...set, ...args], [], person);
    expect(exitCode).toBe(code);
    expect(stderr).not.toContain('?');
  });

  it('does not ask where no one can respond', async () => {
    const { service, env } = await startOne();
    const { exitCode, stdout } = await service.cli([...set, 'cancelled'], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'ord_1 pending → cancelled\n' });
  });
});
