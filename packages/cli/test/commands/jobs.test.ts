import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { fakeTime } from '../helpers/fake-time';
import { aProblem } from '../helpers/minimal-service';
import { startPendingOrders } from '../helpers/pending-orders';
import { loginFolder } from '../helpers/profile-folder';

const set = ['orders', 'set-status'];

/** Two jobs, a minute apart: in the first an order failed with what may pass, the second is complete. */
async function startWithJobs() {
  const { service, env } = await startPendingOrders(4);
  const from = Date.parse('2026-11-26T10:00:00Z');
  service.instead = ({ method, path }) =>
    method === 'PATCH' && path.endsWith('ord_2') ? aProblem(500, 'internal_error') : undefined;
  const first = [...set, 'ord_1', 'ord_2', 'confirmed', '--yes'];
  const setting = { env, now: () => from, wait: async () => {} };
  expect((await service.cli(first, setting)).exitCode).toBe(7);
  service.instead = () => undefined;
  const second = [...set, 'ord_3', 'ord_4', 'cancelled', '--yes'];
  expect((await service.cli(second, { env, now: () => from + 60_000 })).exitCode).toBe(0);
  return { service, env };
}

describe('jobs list', () => {
  it('prints the bulk changes that have a journal, newest first', async () => {
    const { service, env } = await startWithJobs();
    const { exitCode, stdout } = await service.cli(['jobs', 'list', '--output', 'json'], { env });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        createdAt: '2026-11-26T10:01:00.000Z',
        state: 'complete',
        status: 'cancelled',
        ifStatus: null,
        orders: 2,
        done: 2,
        skipped: 0,
        failed: 0,
        left: 0,
        baseUrl: service.baseUrl,
        apiKeyPrefix: '…',
        journal: expect.stringMatching(/set-status-20261126T100100Z-\d+\.ndjson$/),
      },
      expect.objectContaining({ state: 'failed', done: 1, failed: 1, left: 0 }),
    ]);
  });

  it('calls a job incomplete while orders are left, and failed if none is', async () => {
    const { service, env } = await startPendingOrders(2);
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(409, 'invalid_transition') : undefined;
    const argv = [...set, 'ord_1', 'ord_2', 'confirmed', '--yes', '--max-failures', '1'];
    await service.cli(argv, { env });
    const list = async () => {
      const fields = ['--fields', 'state,failed,left', '--output', 'csv'];
      return (await service.cli(['jobs', 'list', ...fields], { env })).stdout.split('\n')[1];
    };
    expect(await list()).toBe('incomplete,1,1');
    await service.cli([...set, '--resume', 'latest', '--yes'], { env });
    expect(await list()).toBe('failed,2,0');
  });

  it('tells jobs apart on a terminal, by the names of their journals', async () => {
    const { service, env } = await startWithJobs();
    const { stdout } = await service.cli(['jobs', 'list'], { env, screen: { columns: 120 } });
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/LEFT +JOURNAL( |$)/);
    const journals = rows.map((row) => row.split(/ {2,}/).at(8));
    expect(journals).toEqual([
      expect.stringMatching(/^set-status-.*\.ndjson$/),
      expect.stringMatching(/^set-status-.*\.ndjson$/),
    ]);
    expect(new Set(journals).size).toBe(2);
  });

  it('has the same columns on a terminal whatever the times, states and counts are', async () => {
    const { service, env } = await startWithJobs();
    const screen = { columns: 80 };
    const headings = new Set<string>();
    for (const [argv, now] of [
      [[], '2026-11-26T10:02:00Z'],
      [[], '2026-11-27T10:00:00Z'],
      [[], '2027-11-20T10:00:00Z'],
      [['--time', 'local'], '2026-11-26T10:02:00Z'],
    ] as const) {
      const { stdout } = await service.cli(['jobs', 'list', ...argv], {
        env,
        screen,
        now: () => Date.parse(now),
      });
      headings.add(stdout.split('\n')[0]?.replaceAll(/ +/g, ' ') ?? '');
    }
    expect([...headings]).toEqual(['STARTED STATE TO ORDERS DONE SKIPPED FAILED LEFT']);
  });

  it('says that there are none', async () => {
    const { service, env } = await startPendingOrders(1);
    expect(await service.cli(['jobs', 'list'], { env })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No jobs found.\n',
    });
  });
});

describe('orders set-status --resume latest', () => {
  it('continues the newest journal with orders that failed', async () => {
    const { service, env } = await startWithJobs();
    const argv = [...set, '--resume', 'latest', '--yes', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { env });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).map(({ id, to }: { id: string; to: string }) => [id, to])).toEqual([
      ['ord_1', 'confirmed'],
      ['ord_2', 'confirmed'],
    ]);
    expect(stderr).toMatch(/^Journal: \S+set-status-20261126T100000Z-\d+\.ndjson\n/);
  });

  it('leaves the journals of other keys alone, and says so', async () => {
    const { service, env } = await startWithJobs();
    const other = { ...env, TRADEPOST_API_KEY: 'tpk_otherkeyofanotheraccount' };
    const before = service.seen.length;
    const argv = [...set, '--resume', 'latest', '--yes'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { env: other });
    expect({ exitCode, stdout, sent: service.seen.length - before }).toEqual({
      exitCode: 2,
      stdout: '',
      sent: 0,
    });
    expect(stderr).toBe(
      [
        `error: No journal of ${service.baseUrl} can be resumed that was started with this key, tpk_othe…`,
        'hint: The newest one is of the key …. To see all journals, run `tradepost jobs list`.',
        '',
      ].join('\n'),
    );
  });

  it.each(['tpk_test0', 'tpk_short'])(
    'tells keys apart that are shown alike: %s',
    async (TRADEPOST_API_KEY) => {
      const { service, env } = await startWithJobs();
      const other = { ...env, TRADEPOST_API_KEY };
      const { exitCode, stderr } = await service.cli([...set, '--resume', 'latest', '--yes'], {
        env: other,
      });
      expect(exitCode).toBe(2);
      expect(stderr).toContain('can be resumed that was started with this key, …\n');
    },
  );

  it('takes the newest journal of the key, although another key has a newer one', async () => {
    const { service, env } = await startWithJobs();
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(500, 'internal_error') : undefined;
    const other = { ...env, TRADEPOST_API_KEY: 'tpk_otherkeyofanotheraccount' };
    const now = () => Date.parse('2026-11-26T11:00:00Z');
    const setting = { env: other, now, wait: async () => {} };
    await service.cli([...set, 'ord_3', 'ord_4', 'confirmed', '--yes'], setting);
    service.instead = () => undefined;
    const argv = [...set, '--resume', 'latest', '--yes', '--output', 'json'];
    const { stderr } = await service.cli(argv, { env });
    expect(stderr).toMatch(/^Journal: \S+set-status-20261126T100000Z-\d+\.ndjson\n/);
    const jobs = await service.cli(['jobs', 'list', '--fields', 'apiKeyPrefix,state'], { env });
    expect(jobs.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['KEY', 'STATE'],
      ['tpk_othe…', 'failed'],
      ['…', 'complete'],
      ['…', 'complete'],
      [''],
    ]);
  });

  it('says with --dry-run what would change, and only about orders that are left', async () => {
    const { service, env } = await startWithJobs();
    const argv = [...set, '--resume', 'latest', '--dry-run', '--output', 'csv'];
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--fields', 'id,outcome'], {
      env,
    });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'id,outcome\nord_2,would_change\n',
      stderr: 'Would move 1 order to confirmed. Nothing changed.\n',
    });
  });

  it('is an error if no journal of this service can be resumed', async () => {
    const { env } = await startWithJobs();
    const { service } = await startPendingOrders(1);
    const { exitCode, stderr } = await service.cli([...set, '--resume', 'latest'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`No journal of ${service.baseUrl} can be resumed`);
    expect(stderr).toContain('run `tradepost jobs list`.');
  });
});

describe('orders set-status --resume', () => {
  it('latest never takes an old job that cannot be finished', async () => {
    const { service, env } = await startPendingOrders(4);
    const setting = (day: string) => ({
      env,
      now: () => Date.parse(`2026-11-${day}T10:00:00Z`),
      wait: async () => {},
    });
    const run = (ids: string[], day: string) =>
      service.cli([...set, ...ids, 'confirmed', '--yes'], setting(day));
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(500, 'internal_error') : undefined;
    await run(['ord_1', 'ord_2'], '20');
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(409, 'invalid_transition') : undefined;
    await run(['ord_3', 'ord_4'], '21');
    service.instead = () => undefined;
    const resume = () => service.cli([...set, '--resume', 'latest', '--yes'], setting('22'));
    const first = await resume();
    expect(first.exitCode).toBe(0);
    expect(first.stderr).toMatch(/^Journal: \S+set-status-20261120T/);
    const second = await resume();
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain(`No journal of ${service.baseUrl} can be resumed`);
  });

  it('latest takes a job of the same account that another key started', async () => {
    const { service, env } = await startPendingOrders(2);
    const account = { id: 'usr_1', kind: 'seller', name: null };
    const { baseUrl } = service;
    const folder = loginFolder({
      old: { baseUrl, apiKey: 'tpk_oldkeyofthisaccount0000', account },
      new: { baseUrl, apiKey: 'tpk_newkeyofthisaccount0000', account },
      other: {
        baseUrl,
        apiKey: 'tpk_otheraccount0000000000',
        account: { ...account, id: 'usr_2' },
      },
    });
    const setting = { env: { ...env, ...folder.env }, wait: async () => {} };
    service.instead = () => aProblem(401, 'invalid_api_key');
    const argv = [...set, 'ord_1', 'ord_2', 'confirmed', '--yes', '--profile', 'old'];
    expect((await service.cli(argv, setting)).exitCode).toBe(4);
    service.instead = () => undefined;
    const resume = [...set, '--resume', 'latest', '--yes', '--profile'];
    expect((await service.cli([...resume, 'other'], setting)).exitCode).toBe(2);
    expect((await service.cli([...resume, 'new'], setting)).exitCode).toBe(0);
  });

  it('keeps the limits of the first run, unless they are given again', async () => {
    const { service, env, ids, file } = await startPendingOrders(6);
    service.instead = ({ method }) =>
      method === 'PATCH' ? aProblem(409, 'invalid_transition') : undefined;
    const waits: number[] = [];
    const setting = {
      env,
      now: () => 0,
      wait: async (milliseconds: number) => {
        waits.push(milliseconds);
      },
    };
    const count = async (argv: string[]) => {
      service.seen.length = 0;
      waits.length = 0;
      await service.cli([...argv, '--yes'], setting);
      return service.seen.filter(({ method }) => method === 'PATCH').length;
    };
    const limits = ['--max-failures', '1', '--concurrency', '1', '--rate', '60/m'];
    expect(await count([...set, ...ids, 'confirmed', '--journal', file, ...limits])).toBe(1);
    expect(await count([...set, '--resume', file])).toBe(1);
    expect(await count([...set, '--resume', file, '--max-failures', '3'])).toBe(3);
    expect(waits).toEqual(expect.arrayContaining([1_000, 2_000]));
  });

  it('names the journal and its age before it asks', async () => {
    const { service, env } = await startWithJobs();
    const argv = [...set, '--resume', 'latest'];
    const now = () => Date.parse('2026-11-28T10:00:00Z');
    const { exitCode, stderr } = await service.cli(argv, { env, now });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /Confirmation needed: Resume a job: move 1 order to confirmed at \S+\? Journal: set-status-20261126T100000Z-\d+\.ndjson, started 2 days ago\n/,
    );
  });
});

describe('jobs show', () => {
  const show = ['jobs', 'show', 'latest', '--output', 'json'];

  /** A job of three orders: one was moved, one was skipped, one failed. */
  async function startWithReport() {
    const started = await startPendingOrders(3);
    const { service, env } = started;
    service.orders[1] = anOrder({ id: 'ord_2', status: 'fulfilling', quantity: 7 });
    service.instead = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('ord_3')
        ? aProblem(409, 'invalid_transition')
        : undefined;
    const now = () => Date.parse('2026-11-26T10:00:00Z');
    const argv = [
      ...set,
      'ord_1',
      'ord_2',
      'ord_3',
      'confirmed',
      '--if-status',
      'pending',
      '--yes',
    ];
    await service.cli(argv, { env, now });
    service.instead = () => undefined;
    service.seen.length = 0;
    return { ...started, now };
  }

  it('reports each order of a job from its journal, without a service too', async () => {
    const { service, env, now } = await startWithReport();
    const { exitCode, stdout, stderr } = await service.cli([...show, '--offline'], { env, now });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        id: 'ord_1',
        outcome: 'updated',
        from: 'pending',
        to: 'confirmed',
        target: 'confirmed',
        at: '2026-11-26T10:00:00.000Z',
        code: null,
        quantity: expect.any(Number),
        buyerName: null,
        now: null,
        next: ['fulfilling', 'cancelled'],
        undo: 'cancelled',
      },
      { id: 'ord_2', outcome: 'skipped', from: 'fulfilling', quantity: 7, undo: null },
      { id: 'ord_3', outcome: 'failed', from: 'pending', code: 'invalid_transition', undo: null },
    ]);
    expect(stderr).toMatch(
      /^set-status-\S+\.ndjson at \S+: 3 orders: 1 moved to confirmed, 1 skipped \(not pending\), 1 failed\. Started now\.\n$/,
    );
    expect(service.seen).toEqual([]);
  });

  it('requests names and current statuses, and changes nothing', async () => {
    const { service, env } = await startWithReport();
    Object.assign(service.orders[0] ?? {}, { status: 'completed' });
    service.extensions = ['orders.expand', 'orders.filters', 'paging'];
    const names = {
      buyer: { id: 'usr_1', name: 'Café' },
      listing: { id: 'lst_1', title: 'Coffee' },
    };
    service.instead = ({ path, query }) => {
      const id = path.split('/')[3];
      const orders = service.orders.map((order) => ({ ...order, ...names }));
      expect(query.expand).toBeDefined();
      return { status: 200, body: { data: orders.find((order) => order.id === id) } };
    };
    const { stdout } = await service.cli(show, { env });
    expect(JSON.parse(stdout)).toMatchObject([
      {
        id: 'ord_1',
        buyerName: 'Café',
        listingTitle: 'Coffee',
        now: 'completed',
        next: [],
        undo: null,
      },
      { id: 'ord_2', buyerName: 'Café', now: 'fulfilling' },
      { id: 'ord_3', buyerName: 'Café', now: 'pending' },
    ]);
    expect(service.seen.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /v1/orders/ord_1',
      'GET /v1/orders/ord_2',
      'GET /v1/orders/ord_3',
    ]);
    const env80 = { ...env, NO_COLOR: '1' };
    const options = { env: env80, screen: { columns: 80 } };
    const titles = async (...more: string[]) =>
      (await service.cli(['jobs', 'show', 'latest', '--no-pager', ...more], options)).stdout
        .split('\n', 1)[0]
        ?.split(/ {2,}/);
    expect((await titles())?.slice(0, 5)).toEqual(['ID', 'OUTCOME', 'QUANTITY', 'BUYER', 'WHY']);
    expect(await titles('--undo')).toEqual(expect.arrayContaining(['UNDO', 'BUYER']));
  });

  it('gets many by the page as far as they have changed since, and the rest one by one', async () => {
    const { service, env, ids } = await startPendingOrders(40);
    const now = () => Date.parse('2026-11-26T10:00:00Z');
    await service.cli([...set, ...ids, 'confirmed', '--yes'], { env, now });
    service.seen.length = 0;
    service.extensions = ['orders.expand', 'orders.filters', 'paging'];
    const named = service.orders.map((order) => ({
      ...order,
      buyer: { id: 'usr_1', name: 'Ann' },
    }));
    const others = named.map((order) => ({ ...order, id: `${order.id}x` }));
    const pages = [others, named.slice(0, 20), named.slice(20, 38), others, named];
    service.instead = ({ path, query }) => {
      const { cursor = '0', updatedAfter } = query;
      const id = path.split('/')[3];
      if (id !== undefined)
        return { status: 200, body: { data: named.find((one) => one.id === id) } };
      expect(updatedAfter).toBe('2026-11-26T09:59:00.000Z');
      const nextCursor = String(Number(cursor) + 1);
      return { status: 200, body: { data: pages[Number(cursor)], nextCursor } };
    };
    const { exitCode, stdout } = await service.cli(show, { env });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(
      ids.map((id) => expect.objectContaining({ id, buyerName: 'Ann', now: 'confirmed' })),
    );
    const requests = service.seen.map(({ path }) => path);
    expect(requests.filter((path) => path === '/v1/orders')).toHaveLength(4);
    expect(requests.slice(4).sort()).toEqual(['/v1/orders/ord_39', '/v1/orders/ord_40']);
  });

  it('waits while there are too many requests, and leaves out what does not exist', async () => {
    const { service, env } = await startWithReport();
    let limited = 20;
    const tooMany = { ...aProblem(429, 'rate_limited'), headers: { 'retry-after': '10' } };
    service.instead = ({ path }) => {
      if (path.endsWith('ord_2')) return aProblem(404, 'order_not_found');
      limited -= 1;
      return limited >= 0 ? tooMany : undefined;
    };
    const { stdout, stderr } = await service.cli(show, { env, ...fakeTime() });
    expect(JSON.parse(stdout).map((row: { now: string }) => row.now)).toEqual([
      'confirmed',
      null,
      'pending',
    ]);
    expect(stderr).toContain('Rate limited; retrying.');
    expect(stderr).not.toContain('missing');
  });

  it('works with a service that has only the API specification', async () => {
    const { service, env } = await startWithReport();
    service.isStrict = true;
    const { exitCode, stdout } = await service.cli(show, { env });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 'ord_1', buyerName: null, now: 'confirmed' },
      { id: 'ord_2', now: 'fulfilling' },
      { id: 'ord_3', now: 'pending' },
    ]);
  });

  it.each([
    ['of another service', { TRADEPOST_BASE_URL: 'http://127.0.0.1:9' }, 'the job is of http'],
    ['that is not known', { TRADEPOST_BASE_URL: undefined }, 'You are not logged in'],
  ])('says why it requested nothing %s', async (_, more, reason) => {
    const { service, env } = await startWithReport();
    const { exitCode, stdout, stderr } = await service.cli(show, { env: { ...env, ...more } });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(3);
    expect(stderr).toContain(`Names and current statuses are missing: ${reason}`);
    expect(service.seen).toEqual([]);
  });

  it('lists with --undo what can be done, in a form that set-status reads', async () => {
    const { service, env } = await startWithReport();
    const { stdout, stderr } = await service.cli(
      ['jobs', 'show', 'latest', '--undo', '--output', 'csv'],
      { env },
    );
    expect(stderr).toContain(
      'Statuses only move forward. Of 1 order that it moved, 1 can be cancelled.',
    );
    const undo = [...set, '--stdin', '--status-column', 'undo', '--yes', '--output', 'json'];
    const undone = await service.cli(undo, { env, input: stdout });
    expect(JSON.parse(undone.stdout)).toMatchObject([
      { id: 'ord_1', outcome: 'updated', to: 'cancelled' },
    ]);
    const again = await service.cli([...show, '--undo'], { env });
    expect(JSON.parse(again.stdout)).toMatchObject([{ id: 'ord_1', next: [], undo: null }]);
  });

  it('finds a job by the name that jobs list shows', async () => {
    const { service, env } = await startWithReport();
    const list = await service.cli(['jobs', 'list', '--jq', '.[].journal'], { env });
    const name = list.stdout.trim().split('/').at(-1) ?? '';
    for (const job of [name, name.replace('.ndjson', ''), list.stdout.trim()]) {
      const { stdout } = await service.cli(['jobs', 'show', job, '--offline', '--json'], { env });
      expect(JSON.parse(stdout)).toHaveLength(3);
    }
    const { exitCode, stderr } = await service.cli(['jobs', 'show', 'none'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('No journal at none');
  });
});
