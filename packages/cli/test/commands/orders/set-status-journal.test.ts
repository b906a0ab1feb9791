import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { aProblem } from '../../helpers/minimal-service';
import { outcomesOf, startPendingOrders } from '../../helpers/pending-orders';

const set = ['orders', 'set-status'];

describe('the journal of orders set-status', () => {
  it('reads an order whose response was lost before it changes it again', async () => {
    const { service, ids, env, file } = await startPendingOrders(3);
    // Each order is moved, but there is no response, and none can be read.
    service.instead = ({ method, path }) => {
      const found = service.orders.find(({ id }) => path.endsWith(id));
      if (method === 'PATCH' && found) found.status = 'confirmed';
      return found?.status === 'pending' ? undefined : aProblem(500, 'internal_error');
    };
    const argv = [...set, ...ids, 'confirmed', '--yes', '--journal', file, '--output', 'json'];
    const first = await service.cli(argv, { env, wait: async () => {} });
    expect(first.exitCode).toBe(1);
    expect(outcomesOf(first.stdout).map(({ outcome }) => outcome)).toEqual(ids.map(() => 'failed'));
    service.instead = () => undefined;
    service.seen.length = 0;
    const second = await service.cli([...set, '--resume', file, '--yes', '--output', 'json'], {
      env,
    });
    expect(second.exitCode).toBe(0);
    expect(outcomesOf(second.stdout).map(({ outcome }) => outcome)).toEqual(
      ids.map(() => 'unchanged'),
    );
    expect(service.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  }, 60_000);

  it.each([
    ['of another order', { id: 'ord_9', status: 'confirmed' }],
    ['of another status', { status: 'pending' }],
    ['of a body that is no order', { id: 'not an id' }],
  ] as const)('does not accept %s as success, and resumes it later', async (_, wrong) => {
    const { service, ids, env, file } = await startPendingOrders(2);
    service.instead = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('ord_1')
        ? { status: 200, body: { data: anOrder({ id: 'ord_1', ...wrong }) } }
        : undefined;
    const argv = [...set, ...ids, 'confirmed', '--yes', '--journal', file, '--output', 'json'];
    const first = await service.cli(argv, { env });
    expect(first.exitCode).toBe(7);
    expect(outcomesOf(first.stdout)[0]).toMatchObject({
      id: 'ord_1',
      outcome: 'failed',
      code: 'contract_mismatch',
    });
    service.instead = () => undefined;
    const second = await service.cli([...set, '--resume', file, '--yes'], { env });
    expect(second.exitCode).toBe(0);
  });

  it('exits 130 when it is interrupted during a resumed run, and prints how to resume', async () => {
    const { service, ids, env, file } = await startPendingOrders(4);
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(409, 'invalid_transition') : undefined;
    const argv = [...set, ...ids, 'confirmed', '--yes', '--journal', file];
    expect((await service.cli(argv, { env })).exitCode).toBe(6);
    for (const isMoved of [false, true]) {
      const interrupt = new AbortController();
      service.instead = ({ method }) => {
        if (method !== 'PATCH') return undefined;
        interrupt.abort();
        return isMoved ? undefined : aProblem(409, 'invalid_transition');
      };
      const { exitCode, stderr } = await service.cli(
        [...set, '--resume', file, '--yes', '--concurrency', '1'],
        { env, signal: interrupt.signal },
      );
      expect(exitCode).toBe(130);
      expect(stderr).toContain(
        `hint: Resume with: \`tradepost orders set-status --resume ${file}\`.\n`,
      );
    }
    service.instead = () => undefined;
    const last = await service.cli([...set, '--resume', file, '--yes', '--output', 'json'], {
      env,
    });
    expect(last.exitCode).toBe(0);
    expect(outcomesOf(last.stdout).map(({ outcome }) => outcome)).toEqual(ids.map(() => 'updated'));
  });

  it('exits 9 while the service is down, whatever earlier runs did, and says that resuming is safe', async () => {
    const { service, ids, env, file } = await startPendingOrders(4);
    const one = ['--concurrency', '1', '--yes', '--reconnect-timeout', '0'];
    const isDown = (path: string) => !path.endsWith('ord_1');
    service.instead = ({ path }) => (isDown(path) ? aProblem(503, 'store_unavailable') : undefined);
    const safe =
      /hint: .*--resume reads each order that failed before it changes it\. Resume with: `/;
    const first = await service.cli([...set, ...ids, 'confirmed', '--journal', file, ...one], {
      env,
    });
    expect(first).toMatchObject({ exitCode: 7, stderr: expect.stringMatching(safe) });
    const resume = [...set, '--resume', file, ...one];
    for (const failed of [2, 3]) {
      const { exitCode, stderr } = await service.cli(resume, { env });
      expect(exitCode).toBe(9);
      expect(stderr).toMatch(safe);
      expect(stderr).toContain(`4 orders: 1 moved to confirmed, ${failed} failed`);
    }
    const asJson = await service.cli([...resume, '--output', 'json'], { env });
    expect(asJson.exitCode).toBe(9);
    expect(JSON.parse(asJson.stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({
      code: 'partial_failure',
      message: '4 orders: 1 moved to confirmed, 3 failed; earlier runs did 1 of them',
    });
    service.instead = ({ path }) =>
      path.endsWith('ord_3') ? aProblem(503, 'store_unavailable') : undefined;
    expect((await service.cli(resume, { env })).exitCode).toBe(7);
  });

  it('does not report an order as not attempted that a killed run may have moved', async () => {
    const { service, ids, env, file } = await startPendingOrders(3);
    await service.cli([...set, ...ids, 'confirmed', '--yes', '--journal', file], { env });
    // As after a kill: all three were started, and none has an outcome.
    const lines = readFileSync(file, 'utf8').split('\n');
    const left = lines.filter((line) => !line.includes('"outcome"'));
    expect(lines.length - left.length).toBe(3);
    writeFileSync(file, left.join('\n'));
    service.instead = () => aProblem(401, 'invalid_api_key');
    const argv = [...set, '--resume', file, '--yes', '--output', 'json'];
    const { exitCode, stdout } = await service.cli(argv, { env });
    expect(exitCode).toBe(4);
    expect(outcomesOf(stdout).map(({ outcome, code }) => [outcome, code])).toEqual([
      ['failed', 'invalid_api_key'],
      ['failed', 'in_doubt'],
      ['failed', 'in_doubt'],
    ]);
  });

  it('is resumed with the orders that were not attempted, before one that ends each run', async () => {
    const { service, ids, env, file } = await startPendingOrders(4);
    service.instead = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('ord_2')
        ? aProblem(403, 'account_kind_not_allowed')
        : undefined;
    const one = ['--concurrency', '1', '--yes', '--output', 'json'];
    const first = [...set, ...ids, 'confirmed', '--journal', file, ...one];
    expect((await service.cli(first, { env })).exitCode).toBe(7);
    const { exitCode, stdout } = await service.cli([...set, '--resume', file, ...one], { env });
    expect(exitCode).toBe(7);
    expect(outcomesOf(stdout).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['ord_1', 'updated'],
      ['ord_2', 'failed'],
      ['ord_3', 'updated'],
      ['ord_4', 'updated'],
    ]);
  });

  it('is resumed by the printed command, for the same account and service', async () => {
    const { service, ids, env, file } = await startPendingOrders(1);
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(500, 'internal_error') : undefined;
    const argv = [...set, ...ids, 'confirmed', '--yes', '--journal', file];
    const { stderr } = await service.cli([...argv, '--base-url', service.baseUrl], {
      env: { ...env, TRADEPOST_BASE_URL: 'http://127.0.0.1:9' },
      wait: async () => {},
    });
    const words = `orders set-status --base-url ${service.baseUrl} --resume ${file}`;
    expect(stderr).toContain(`Resume with: \`tradepost ${words}\`.\n`);
  });

  it('resumes a journal that spells the base URL differently', async () => {
    const { service, ids, env, file } = await startPendingOrders(2);
    await service.cli([...set, ...ids, 'confirmed', '--yes', '--journal', file], { env });
    const argv = [...set, '--resume', file, '--yes', '--base-url', `${service.baseUrl}/`];
    expect((await service.cli(argv, { env })).exitCode).toBe(0);
  });

  it('reports that it resumes with another key', async () => {
    const { service, ids, env, file } = await startPendingOrders(2);
    await service.cli([...set, ...ids, 'confirmed', '--yes', '--journal', file], { env });
    const other = { ...env, TRADEPOST_API_KEY: 'tpk_other_and_long_enough_1' };
    const { exitCode, stderr } = await service.cli([...set, '--resume', file, '--yes'], {
      env: other,
    });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^Started with key \S+, resuming with key tpk_othe…\.\n/);
  });

  it('records the outcome of a single order on request', async () => {
    const { service, env, file } = await startPendingOrders(1);
    const argv = [...set, 'ord_1', 'confirmed', '--journal', file, '--yes'];
    expect((await service.cli(argv, { env })).exitCode).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('"outcome":"updated"');
  });

  it('rejects an existing journal before it prompts', async () => {
    const { service, ids, env, file } = await startPendingOrders(2);
    const argv = [...set, ...ids, 'confirmed', '--journal', file];
    await service.cli([...argv, '--yes'], { env });
    service.seen.length = 0;
    const { exitCode, stderr } = await service.cli(argv, { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`The journal ${file} exists`);
    expect(service.seen).toEqual([]);
  });

  it('writes no journal with --no-journal, and creates no folder', async () => {
    const { service, ids } = await startPendingOrders(2);
    const argv = [...set, ...ids, 'confirmed', '--yes', '--no-journal'];
    expect(await service.cli(argv)).toMatchObject({
      exitCode: 0,
      stderr: '2 orders moved to confirmed.\n',
    });
  });

  it('changes nothing if the journal cannot be written', async () => {
    const { service, ids } = await startPendingOrders(2);
    const { exitCode, stdout, stderr } = await service.cli([...set, ...ids, 'confirmed', '--yes']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: Cannot create the folder of the journal: .*\nhint: Nothing changed\./,
    );
    expect(service.seen).toEqual([]);
  });

  it('keeps the key and the secrets out of the journal', async () => {
    const { service, ids, env, file } = await startPendingOrders(2);
    await service.cli([...set, ...ids, 'confirmed', '--yes', '--journal', file], { env });
    expect(readFileSync(file, 'utf8')).not.toContain('tpk_');
  });
});
