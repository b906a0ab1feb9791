import type { Notification } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import {
  aNotification,
  aProblem,
  BareService,
  type StubResponse,
} from '../helpers/minimal-service';
import { runAtKeyboard } from '../helpers/run-at-keyboard';

const first = aNotification({ id: 'ntf_1' });
const second = aNotification({ id: 'ntf_2' });

describe('notifications list', () => {
  it('wraps messages on a narrow terminal, and keeps the IDs in them whole', async () => {
    const service = await BareService.start();
    service.notifications = [aNotification(), { ...second, read: true }];
    const { stdout } = await service.cli(['notifications', 'list'], { screen: { columns: 80 } });
    expect(stdout).toBe(
      [
        'ID                              READ  MESSAGE',
        'ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GN  no    Order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH is',
        '                                      now fulfilling.',
        'ntf_2                           yes   Order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH is',
        '                                      now fulfilling.',
        '',
      ].join('\n'),
    );
  });

  it('shows only unread ones, even if the service ignores the filter', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first, read: true }, second];
    const argv = ['notifications', 'list', '--unread', '--output', 'json'];
    const { stdout } = await service.cli(argv);
    expect(JSON.parse(stdout)).toEqual([second]);
    expect(service.seen[0]?.query).toEqual({ read: 'false', limit: '50' });
  });
});

describe('unread notifications of a service that rejects the filter', () => {
  const [newest, other, oldest] = [
    aNotification({ id: 'ntf_3', orderId: 'ord_1', createdAt: '2026-11-21T11:00:00.000Z' }),
    aNotification({ id: 'ntf_2', orderId: 'ord_2', createdAt: '2026-11-21T10:00:00.000Z' }),
    aNotification({ id: 'ntf_1', orderId: 'ord_1', createdAt: '2026-11-21T09:00:00.000Z' }),
  ];

  async function startStrict(): Promise<BareService> {
    const service = await BareService.start();
    service.isStrict = true;
    service.notifications = [newest, { ...other, read: true }, oldest].map((one) => ({ ...one }));
    return service;
  }

  it('are listed all the same', async () => {
    const service = await startStrict();
    const argv = ['notifications', 'list', '--unread', '--output', 'csv', '--fields', 'id'];
    expect(await service.cli(argv)).toEqual({
      exitCode: 0,
      stdout: ['id', 'ntf_3', 'ntf_1', ''].join('\n'),
      stderr: '',
    });
  });

  it.each([
    [['--all'], ['ntf_3', 'ntf_1']],
    [['--order', 'ord_1', '--until', '2026-11-21T10:30:00Z'], ['ntf_1']],
  ])('are marked as read with %j', async (selection, ids) => {
    const service = await startStrict();
    const argv = ['notifications', 'read', ...selection, '--yes', '--output', 'json'];
    const { exitCode, stderr } = await service.cli([...argv, '--fields', 'id']);
    const count = ids.length === 1 ? '1 notification' : `${ids.length} notifications`;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `Marked ${count} as read.\n`,
    });
    expect(listMarked(service)).toEqual(ids);
  });

  it('are an error if the service says that the value is wrong', async () => {
    const service = await startStrict();
    service.extensions = ['notifications.filters', 'paging'];
    const errors = [{ path: 'read', message: 'must be yes or no' }];
    service.instead = () => aProblem(422, 'validation_failed', { errors });
    const { exitCode, stdout } = await service.cli(['notifications', 'list', '--unread']);
    expect({ exitCode, stdout, requests: service.seen.length }).toEqual({
      exitCode: 1,
      stdout: '',
      requests: 1,
    });
  });
});

describe('notifications read', () => {
  it('marks each one as read and prints a list, even of a single one', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first }, { ...second }];
    expect(await service.cli(['notifications', 'read', 'ntf_1', '--output', 'json'])).toEqual({
      exitCode: 0,
      stdout: `${JSON.stringify([{ ...first, read: true }], null, 2)}\n`,
      stderr: 'Marked 1 notification as read.\n',
    });
    await service.cli(['notifications', 'read', 'ntf_1', 'ntf_2']);
    expect(service.seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PATCH', '/v1/notifications/ntf_1', { read: true }],
      ['PATCH', '/v1/notifications/ntf_1', { read: true }],
      ['PATCH', '/v1/notifications/ntf_2', { read: true }],
    ]);
  });

  it('continues after a failure, lists what failed and exits 7', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first }, { ...second }];
    service.instead = ({ path }) =>
      path.endsWith('ntf_0') ? aProblem(404, 'notification_not_found') : undefined;
    const argv = ['notifications', 'read', 'ntf_1', 'ntf_0', 'ntf_2'];
    const asText = await service.cli([...argv, '--output', 'table']);
    expect(asText.exitCode).toBe(7);
    expect(asText.stdout.split('\n').map((line) => line.slice(0, 10).trim())).toEqual([
      'ID     REA',
      'ntf_1  yes',
      'ntf_2  yes',
      '',
    ]);
    expect(asText.stderr).toBe(
      [
        'error: Marked 2 of 3 notifications as read; 1 failed',
        '  ntf_0: Detail of notification_not_found. (request req_1)',
        'hint: Check the notification ID. To list the notifications of this account, run `tradepost notifications list`.',
        '',
      ].join('\n'),
    );

    const asJson = await service.cli([...argv, '--output', 'json']);
    expect(asJson.exitCode).toBe(7);
    expect(JSON.parse(asJson.stdout).map(({ id }: { id: string }) => id)).toEqual([
      'ntf_1',
      'ntf_2',
    ]);
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: 'partial_failure',
      errors: [{ path: 'ntf_0', message: expect.stringContaining('404') }],
    });
  });

  it('exits with the code of the failure when all failed alike, and prints no data', async () => {
    const service = await BareService.start();
    const { exitCode, stdout, stderr } = await service.cli([
      'notifications',
      'read',
      'ntf_8',
      'ntf_9',
      '--output',
      'json',
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
    expect(JSON.parse(stderr).error.code).toBe('all_failed');
  });

  it('reports a single failure as it is', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(404, 'notification_not_found');
    const { exitCode, stderr } = await service.cli([
      'notifications',
      'read',
      'ntf_8',
      '--output',
      'json',
    ]);
    expect(exitCode).toBe(5);
    expect(JSON.parse(stderr).error.code).toBe('notification_not_found');
  });

  it('stops at a failure that would affect all the others', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(401, 'invalid_api_key');
    const { exitCode, stderr } = await service.cli([
      'notifications',
      'read',
      'ntf_1',
      'ntf_2',
      'ntf_3',
    ]);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('Marked 0 of 3 notifications as read; 1 failed, 2 not attempted\n');
    expect(service.seen).toHaveLength(1);
  });

  it('marks a repeated ID once, whether that succeeds or fails', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first }];
    const twice = await service.cli(['notifications', 'read', 'ntf_1', 'ntf_1', '--output', 'csv']);
    expect(twice.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(service.seen).toHaveLength(1);
    const argv = ['notifications', 'read', 'ntf_9', 'ntf_1', 'ntf_9', 'ntf_1'];
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(7);
    expect(stderr).toContain('error: Marked 1 of 2 notifications as read; 1 failed\n');
  });

  it('sends the first one alone, then several in parallel, and prints them in order', async () => {
    const service = await BareService.start();
    const ids = Array.from({ length: 20 }, (_, index) => `ntf_${index}`);
    service.notifications = ids.map((id) => aNotification({ id }));
    let underWay = 0;
    const together: number[] = [];
    const waiting: (() => void)[] = [];
    service.instead = async () => {
      underWay += 1;
      together.push(underWay);
      // The requests of a batch wait for the last one. The responses are sent from the last to the first.
      const isFull = together.length === 1 || underWay === 8 || together.length === 20;
      if (!isFull) await new Promise<void>((resolve) => waiting.push(resolve));
      underWay -= 1;
      waiting.pop()?.();
      return undefined;
    };
    const { stdout } = await service.cli(['notifications', 'read', ...ids, '--jq', '.[].id']);
    expect(together[0]).toBe(1);
    expect(together[1]).toBe(1);
    expect(Math.max(...together)).toBe(8);
    expect(stdout.trimEnd().split('\n')).toEqual(ids);
  });

  it('reports on a terminal how many of several it marked, and lists them with --verbose', async () => {
    const service = await BareService.start();
    const run = async (...argv: string[]) => {
      service.notifications = [{ ...first }, { ...second }];
      const screen = { columns: 80 };
      return await service.cli(['notifications', 'read', ...argv], { screen });
    };
    const several = await run('--all', '--yes');
    expect(several.stdout).toBe('');
    expect(several.stderr).toContain('Marked 2 notifications as read.\n');
    const { stdout } = await run('--all', '--yes', '--verbose');
    const rows = stdout.split('\n').filter((line) => /^\w/.test(line));
    expect(rows.map((line) => line.split(' ')[0])).toEqual(['ID', 'ntf_1', 'ntf_2']);
    expect((await run('--all', '--yes', '--fields', 'id')).stdout).toBe(
      ['ID', 'ntf_1', 'ntf_2', ''].join('\n'),
    );
    expect((await run('ntf_2')).stdout).toContain('ntf_2 ');
    const ndjson = await run('--all', '--yes', '--output', 'ndjson');
    expect(ndjson.stdout.split('\n')).toHaveLength(3);
  });

  it('shows progress on a terminal, and removes it at the end', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first }, { ...second }];
    const argv = ['notifications', 'read', 'ntf_1', 'ntf_2'];
    const { stdout, stderr } = await service.cli(argv, { screen: { columns: 80 } });
    expect(stderr).toContain('  2/2  ');
    expect(stderr.endsWith('\u001b[1G\u001b[2KMarked 2 notifications as read.\n')).toBe(true);
    expect(stdout).not.toContain('\u001b');
  });
});

/** The IDs of the notifications that a command marked. */
function listMarked({ seen }: BareService): string[] {
  return seen.flatMap(({ method, path }) => (method === 'PATCH' ? [path.split('/')[3] ?? ''] : []));
}

describe('notifications read --all', () => {
  it('marks the unread ones, even if the service ignores the filter', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first, read: true }, { ...second }];
    const argv = ['notifications', 'read', '--all', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Marked 1 notification as read.\n',
    });
    expect(JSON.parse(stdout)).toEqual([{ ...second, read: true }]);
    expect(service.seen.map(({ method, path, query }) => [method, path, query])).toEqual([
      ['GET', '/v1/notifications', { read: 'false', limit: '100' }],
      ['GET', '/v1/notifications', {}],
      ['PATCH', '/v1/notifications/ntf_2', {}],
    ]);
  });

  it('reads the whole list before it marks any, since marking shifts the pages', async () => {
    const service = await BareService.start();
    service.extensions = ['notifications.filters', 'paging'];
    const pages = [[first], [second]];
    service.notifications = pages.flat().map((one) => ({ ...one }));
    service.instead = ({ method, query }) =>
      method === 'GET'
        ? {
            status: 200,
            body: { data: pages[query.cursor ? 1 : 0], nextCursor: query.cursor ? null : 'next' },
          }
        : undefined;
    expect((await service.cli(['notifications', 'read', '--all', '--yes'])).exitCode).toBe(0);
    expect(service.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'PATCH', 'PATCH']);
  });

  it('reports that nothing is unread, and prints an empty list', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first, read: true }];
    expect(await service.cli(['notifications', 'read', '--all', '--output', 'json'])).toEqual({
      exitCode: 0,
      stdout: '[]\n',
      stderr: 'No unread notifications.\n',
    });
  });

  it.each([
    [[], 'Specify notification IDs, --all or a filter'],
    [['--yes'], 'Specify notification IDs, --all or a filter'],
    [['--all', 'ntf_1'], 'Specify notification IDs or --all with filters, not both'],
    [['ntf_1', '--type', 'order_created'], 'Specify notification IDs or --all with filters'],
    [['ntf_1', '--dry-run'], '--dry-run needs --all or a filter, not IDs'],
    [['--all', 'ord_1'], 'IDs of this type begin with ntf_.'],
    [['--order', 'ntf_1'], 'IDs of this type begin with ord_.'],
    [['--type', 'order.created'], 'Use letters and _, such as order_created.'],
    [['--type', ''], 'such as order_status_changed.'],
    [['--until', 'tomorrow'], 'Use an age such as'],
    [
      ['--since', '2026-11-22', '--until', '2026-11-21'],
      'Use an earlier --since or a later --until.',
    ],
  ])(
    'requires IDs, --all or valid filters, and sends nothing otherwise: %j',
    async (more, message) => {
      const service = await BareService.start();
      const { exitCode, stdout, stderr } = await service.cli(['notifications', 'read', ...more]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(message);
      expect(service.seen).toEqual([]);
    },
  );

  it('reports a failure of the list, and marks nothing', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(403, 'account_kind_not_allowed');
    const { exitCode, stdout } = await service.cli(['notifications', 'read', '--all']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(service.seen).toHaveLength(1);
  });

  it('reports how many were marked if they cannot be printed', async () => {
    const service = await BareService.start();
    service.notifications = [aNotification({ id: 'ntf_1' }), aNotification({ id: 'ntf_2' })];
    const argv = ['notifications', 'read', '--all', '--yes'];
    const { exitCode, stderr } = await service.cli([...argv, '--jq', '.[0].id.x']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'Marked 2 notifications as read, but the result could not be printed: --jq',
    );
    expect(service.notifications.every(({ read }) => read)).toBe(true);
  });

  it('needs --yes for more than one without a terminal, and names their number', async () => {
    const service = await BareService.start();
    const ids = Array.from({ length: 1_234 }, (_, index) => `ntf_${index}`);
    service.notifications = ids.map((id) => aNotification({ id }));
    const argv = ['notifications', 'read', '--all'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(
      [
        'error: Confirmation needed: Mark 1,234 notifications as read?',
        'hint: Nothing changed. Pass --yes (try --dry-run first).',
        '',
      ].join('\n'),
    );
    expect(listMarked(service)).toEqual([]);
  });

  it('prints the total at the end', async () => {
    const service = await BareService.start();
    const ids = Array.from({ length: 1_005 }, (_, index) => `ntf_${index}`);
    service.notifications = ids.map((id) => aNotification({ id }));
    const { exitCode, stderr } = await service.cli(['notifications', 'read', '--all', '--yes']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Marked 1,005 notifications as read.\n',
    });
    expect(service.notifications.every(({ read }) => read)).toBe(true);
  });

  it.each([
    ['y', 0, 2],
    ['n', 1, 0],
    ['\u0003', 130, 0],
  ])('asks at a keyboard, and responds to %j', async (types, exitCode, changes) => {
    const service = await BareService.start();
    service.notifications = [{ ...first }, { ...second }];
    const env = {
      TRADEPOST_BASE_URL: service.baseUrl,
      TRADEPOST_API_KEY: 'tpk_test',
      TRADEPOST_CONFIG_DIR: '/nonexistent/c',
    };
    const typing = [['Mark 2 notifications as read?', types]] as const;
    const result = await runAtKeyboard(['notifications', 'read', '--all'], typing, env);
    expect(result).toMatchObject({ exitCode, isRestored: true });
    expect(listMarked(service)).toHaveLength(changes);
  });

  it('lists with --dry-run what it would mark, and marks nothing', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first, read: true }, { ...second }];
    const argv = ['notifications', 'read', '--all', '--dry-run', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([second]);
    expect(stderr).toBe('Would mark 1 notification as read. Nothing changed.\n');
    expect(listMarked(service)).toEqual([]);
  });

  it('exits 130 after an interruption, even if the service rejected one before', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first }, { ...second }];
    const interrupt = new AbortController();
    service.instead = ({ method }) => {
      if (method !== 'PATCH') return undefined;
      interrupt.abort();
      return aProblem(404, 'notification_not_found');
    };
    const argv = ['notifications', 'read', '--all', '--yes'];
    const { exitCode, stderr } = await service.cli(argv, { signal: interrupt.signal });
    expect(exitCode).toBe(130);
    expect(stderr).toContain(
      'Interrupted. Marked 0 of 2 notifications as read; 1 failed, 1 not attempted\n',
    );
  });

  it('reports an interruption, and how many it marked until then', async () => {
    const service = await BareService.start();
    const ids = Array.from({ length: 40 }, (_, index) => `ntf_${index}`);
    service.notifications = ids.map((id) => aNotification({ id }));
    const interrupt = new AbortController();
    service.instead = ({ method }) => {
      if (method === 'PATCH') interrupt.abort();
      return undefined;
    };
    const argv = ['notifications', 'read', '--all', '--yes', '--jq', 'length'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { signal: interrupt.signal });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '1\n' });
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({
      code: 'interrupted',
      message: 'Interrupted. Marked 1 of 40 notifications as read; 0 failed, 39 not attempted',
    });
    expect(listMarked(service)).toEqual(['ntf_0']);
  });
});

describe('the filters of notifications', () => {
  const at = (time: string) => `2026-11-21T${time}.000Z`;
  const notifications = [
    aNotification({ id: 'ntf_1', orderId: 'ord_1', createdAt: at('12:00:00') }),
    aNotification({ id: 'ntf_2', orderId: 'ord_2', createdAt: at('11:00:00') }),
    aNotification({
      id: 'ntf_3',
      orderId: 'ord_3',
      createdAt: at('10:00:00'),
      type: 'order_created',
    }),
    aNotification({ id: 'ntf_4', orderId: 'ord_1', createdAt: at('09:00:00'), read: true }),
  ];

  it.each([
    [['--order', 'ord_1'], ['ntf_1']],
    [
      ['--order', 'ord_1', 'ord_3'],
      ['ntf_1', 'ntf_3'],
    ],
    [
      ['--order', 'ord_1', '--order', 'ord_2', '--all'],
      ['ntf_1', 'ntf_2'],
    ],
    [['--type', 'order_created'], ['ntf_3']],
    [
      ['--until', at('12:00:00')],
      ['ntf_2', 'ntf_3'],
    ],
    [
      ['--since', at('11:00:00')],
      ['ntf_1', 'ntf_2'],
    ],
    [['--since', at('10:30:00'), '--until', at('11:30:00')], ['ntf_2']],
    [['--order', 'ord_1', '--type', 'order_created'], []],
  ])('select what is marked, on a service without any filter: %j', async (filters, ids) => {
    const service = await BareService.start();
    service.notifications = notifications.map((one) => ({ ...one }));
    const argv = ['notifications', 'read', ...filters, '--yes'];
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(0);
    expect(listMarked(service)).toEqual(ids);
    const count = ids.length;
    expect(stderr).toBe(
      count === 0
        ? 'No unread notifications match the filters.\n'
        : `Marked ${count} notification${count === 1 ? '' : 's'} as read.\n`,
    );
  });

  it.each(['list', 'read'])('of %s say that a type may be mistyped', async (command) => {
    const service = await BareService.start();
    service.notifications = [aNotification({ id: 'ntf_1', type: 'a_type_of_tomorrow' })];
    const argv = ['notifications', command, '--fields', 'id', '--type'];
    const known = await service.cli([...argv, 'order_created']);
    expect(known.stderr).not.toContain('is not a type');
    const unknown = await service.cli([...argv, 'a_type_of_tomorrow']);
    expect(unknown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('ntf_1') });
    expect(unknown.stderr).toContain(
      "'a_type_of_tomorrow' is not a type that this version knows: order_created, order_status_changed,",
    );
  });

  it('select no notification without a time if they are about the time', async () => {
    const service = await BareService.start();
    const { createdAt: _, ...timeless } = aNotification();
    service.notifications = [timeless as Notification];
    const argv = ['notifications', 'read', '--until', '2030-01-01', '--yes'];
    expect((await service.cli(argv)).exitCode).toBe(0);
    expect(listMarked(service)).toEqual([]);
  });

  it.each([
    [
      ['--order', 'ord_1'],
      ['ntf_1', 'ntf_4'],
    ],
    [['--order', 'ord_1', '--unread'], ['ntf_1']],
    [['--type', 'order_created', '--order', 'ord_3', 'ord_2'], ['ntf_3']],
    [
      ['--since', at('11:00:00')],
      ['ntf_1', 'ntf_2'],
    ],
    [['--since', at('09:30:00'), '--until', at('11:00:00')], ['ntf_3']],
  ])('select what is listed: %j', async (filters, ids) => {
    const service = await BareService.start();
    service.notifications = notifications;
    const { stdout } = await service.cli(['notifications', 'list', ...filters, '--jq', '.[].id']);
    expect(stdout.trimEnd().split('\n')).toEqual(ids);
  });
});

describe('notifications read, of more than a hundred', () => {
  const before = '2026-11-21T11:00:00.000Z';
  const many = Array.from({ length: 1_300 }, (_, at) =>
    aNotification({
      id: `ntf_${at}`,
      createdAt: at < 2 ? before : '2026-11-21T10:00:00.000Z',
    }),
  );
  const argv = [
    'notifications',
    'read',
    '--all',
    '--yes',
    '--output',
    'csv',
    '--fields',
    'id,read',
  ];

  async function start(portions: readonly StubResponse[]): Promise<BareService> {
    const service = await BareService.start();
    service.extensions = ['notifications.read', 'notifications.filters'];
    service.notifications = many.map((one) => ({ ...one }));
    const left = [...portions];
    service.instead = ({ method }) => (method === 'POST' ? left.shift() : undefined);
    return service;
  }
  const portion = (marked: number, hasMore: boolean) => ({
    status: 200,
    body: { data: { marked, hasMore } },
  });
  const sent = ({ seen }: BareService) => seen.filter(({ method }) => method !== 'GET');

  it('marks those before the newest in portions, and those of its time one by one', async () => {
    const service = await start([portion(1_000, true), portion(298, false)]);
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(sent(service).map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/notifications/read', { before }],
      ['POST', '/v1/notifications/read', { before }],
      ['PATCH', '/v1/notifications/ntf_0', { read: true }],
      ['PATCH', '/v1/notifications/ntf_1', { read: true }],
    ]);
    expect(stdout.split('\n').filter((line) => line.endsWith(',true'))).toHaveLength(1_300);
    expect([exitCode, stderr]).toEqual([0, 'Marked 1,300 notifications as read.\n']);
  });

  it('says how many are read, and marks no others, after a failure', async () => {
    const service = await start([portion(1_000, true), aProblem(403, 'read_only_api_key')]);
    const { exitCode, stderr } = await service.cli(argv);
    expect(sent(service)).toHaveLength(2);
    expect(exitCode).toBe(7);
    expect(stderr).toContain(
      'Marked 1,000 of 1,300 notifications as read; 1 failed, 299 not attempted',
    );
  });

  it('marks each, if the service has no other way', async () => {
    const service = await start([]);
    service.extensions = [];
    service.notifications = many.slice(0, 150).map((one) => ({ ...one }));
    const { exitCode, stderr } = await service.cli(argv);
    const patches = sent(service).filter(({ method }) => method === 'PATCH');
    expect([exitCode, stderr, patches.length]).toEqual([
      0,
      'Marked 150 notifications as read.\n',
      150,
    ]);
  });
});
