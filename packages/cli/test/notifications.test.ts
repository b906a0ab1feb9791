import { describe, expect, it } from 'vitest';
import { aNotification, aProblem, BareService } from './setting/bare-service';

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

  it('shows unread ones alone, also where the service knows no such filter', async () => {
    const service = await BareService.start();
    service.notifications = [{ ...first, read: true }, second];
    const argv = ['notifications', 'list', '--unread', '--output', 'json'];
    const { stdout } = await service.cli(argv);
    expect(JSON.parse(stdout)).toEqual([second]);
    expect(service.seen[0]?.query).toEqual({ read: 'false', limit: '50' });
  });
});

describe('notifications read', () => {
  it('marks each one read and prints them as a list, also when it is only one', async () => {
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

  it('goes on after a failure, tells which failed and exits 7', async () => {
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
        'error: 2 of 3 notifications could be marked read; 1 failed',
        '  ntf_0: PATCH /v1/notifications/ntf_0 failed with 404 notification_not_found: Detail of notification_not_found. (request req_1)',
        'hint: Check the id. `tradepost notifications list` shows the notifications of this account.',
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

  it("exits with the failures' own code when all failed alike, and prints no data", async () => {
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

  it('stops at a failure that would meet all the others too', async () => {
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
    expect(stderr).toContain('0 of 3 notifications could be marked read; 1 failed, 2 not tried\n');
    expect(service.seen).toHaveLength(1);
  });
});
