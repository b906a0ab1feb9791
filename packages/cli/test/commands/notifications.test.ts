import { describe, expect, it } from 'vitest';
import { aNotification, aProblem, BareService } from '../helpers/minimal-service';

const first = aNotification({ id: 'ntf_1' });
const second = aNotification({ id: 'ntf_2' });

describe('notifications list', () => {
  it('shortens messages in the middle on a narrow terminal', async () => {
    const service = await BareService.start();
    service.notifications = [aNotification(), { ...second, read: true }];
    const { stdout } = await service.cli(['notifications', 'list'], { screen: { columns: 80 } });
    expect(stdout).toBe(
      [
        'ID                              READ  MESSAGE',
        'ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GN  no    Order ord_01KA…C4D6F8GH is now fulfilling.',
        'ntf_2                           yes   Order ord_01KA…C4D6F8GH is now fulfilling.',
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

describe('notifications read', () => {
  it('marks each one as read and prints a list, even of a single one', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first }, { ...second }];
    expect(await service.cli(['notifications', 'read', 'ntf_1', '--output', 'json'])).toEqual({
      exitCode: 0,
      stdout: `${JSON.stringify([{ ...first, read: true }], null, 2)}\n`,
      stderr: '',
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

  it('shows progress on a terminal, and removes it at the end', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first }, { ...second }];
    const argv = ['notifications', 'read', 'ntf_1', 'ntf_2'];
    const { stdout, stderr } = await service.cli(argv, { screen: { columns: 80 } });
    expect(stderr).toContain('  2/2  ');
    expect(stderr.endsWith('\u001b[1G\u001b[2K')).toBe(true);
    expect(stdout).not.toContain('\u001b');
  });
});

describe('notifications read --all', () => {
  it('marks the unread ones, even if the service ignores the filter', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first, read: true }, { ...second }];
    const argv = ['notifications', 'read', '--all', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([{ ...second, read: true }]);
    expect(service.seen.map(({ method, path, query }) => [method, path, query])).toEqual([
      ['GET', '/v1/notifications', { read: 'false', limit: '100' }],
      ['PATCH', '/v1/notifications/ntf_2', {}],
    ]);
  });

  it('reads the whole list before it marks any, since marking shifts the pages', async () => {
    const service = await BareService.start();
    const pages = [[first], [second]];
    service.notifications = pages.flat().map((one) => ({ ...one }));
    service.instead = ({ method, query }) =>
      method === 'GET'
        ? {
            status: 200,
            body: { data: pages[query.cursor ? 1 : 0], nextCursor: query.cursor ? null : 'next' },
          }
        : undefined;
    expect((await service.cli(['notifications', 'read', '--all'])).exitCode).toBe(0);
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
    [[], 'Specify notification IDs or --all'],
    [['--all', 'ntf_1'], 'Specify notification IDs or --all, not both'],
    [['--all', 'ord_1'], 'IDs of this type begin with ntf_.'],
  ])('requires IDs or --all, and sends nothing otherwise: %j', async (more, message) => {
    const service = await BareService.start();
    const { exitCode, stdout, stderr } = await service.cli(['notifications', 'read', ...more]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(service.seen).toEqual([]);
  });

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
    const argv = ['notifications', 'read', '--all'];
    const { exitCode, stderr } = await service.cli([...argv, '--jq', '.[0].id.x']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'Marked 2 notifications as read, but the result could not be printed: --jq',
    );
    expect(service.notifications.every(({ read }) => read)).toBe(true);
  });
});
