import { expect, it } from 'vitest';
import { aNotification, anOrder, BareService } from './setting/bare-service';

/** Aborts once the service was asked for notifications so often. */
function interruptAfter(service: BareService, rounds: number, onRound: (round: number) => void) {
  const interrupt = new AbortController();
  let seen = 0;
  service.instead = ({ path }) => {
    if (path !== '/v1/notifications') return undefined;
    seen += 1;
    onRound(seen);
    if (seen === rounds) setImmediate(() => interrupt.abort());
    return undefined;
  };
  return interrupt.signal;
}

it('on a service with the seven endpoints alone, orders watch asks for notifications', async () => {
  const service = await BareService.start();
  service.orders = [anOrder({ id: 'ord_1', status: 'confirmed' })];
  const old = aNotification({ id: 'ntf_1', orderId: 'ord_1' });
  service.notifications = [old];
  const signal = interruptAfter(service, 3, (round) => {
    if (round !== 2) return;
    service.notifications = [
      aNotification({ id: 'ntf_4', orderId: 'ord_gone' }),
      aNotification({ id: 'ntf_3', orderId: 'ord_1', type: 'task_completed' }),
      aNotification({ id: 'ntf_2', orderId: 'ord_1', createdAt: '2026-11-21T10:00:00.000Z' }),
      old,
    ];
  });
  const watched = await service.cli(['orders', 'watch', '--poll', '1', '--output', 'ndjson'], {
    signal,
  });
  expect(watched).toMatchObject({
    exitCode: 130,
    stdout: `${JSON.stringify({
      createdAt: '2026-11-21T10:00:00.000Z',
      event: 'order.status_changed',
      orderId: 'ord_1',
      from: null,
      to: 'confirmed',
    })}\n`,
  });
  expect(watched.stderr).toMatch(
    /^This service has no event log: its notifications are asked for every 1 s\.\n/,
  );
});

it('orders watch --since begins with what such a service tells of that time', async () => {
  const service = await BareService.start();
  service.orders = [anOrder({ id: 'ord_1', status: 'confirmed' })];
  service.notifications = [
    aNotification({ id: 'ntf_2', orderId: 'ord_1', createdAt: '2026-11-21T09:30:00.000Z' }),
    aNotification({ id: 'ntf_1', orderId: 'ord_1', createdAt: '2026-11-21T09:29:59.999Z' }),
  ];
  const signal = interruptAfter(service, 2, () => {});
  const argv = [
    'orders',
    'watch',
    '--since',
    '2026-11-21T09:30:00Z',
    '--poll',
    '1',
    '--output',
    'csv',
  ];
  const { stdout } = await service.cli(argv, { signal });
  expect(stdout.split('\n').slice(1)).toEqual([
    '2026-11-21T09:30:00.000Z,order.status_changed,ord_1,,confirmed',
    '',
  ]);
});

it('orders watch refuses what is no order before anything is sent', async () => {
  const service = await BareService.start();
  expect(await service.cli(['orders', 'watch', 'ntf_1'])).toMatchObject({
    exitCode: 2,
    stdout: '',
  });
  expect(await service.cli(['orders', 'watch', '--poll', '0'])).toMatchObject({ exitCode: 2 });
  expect(service.seen).toEqual([]);
});
