import { expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { EventService } from '../../helpers/event-service';
import { aNotification, aProblem, BareService } from '../../helpers/minimal-service';
import { anEvent } from '../../helpers/webhook-builders';

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

it('orders watch reads notifications if the service has only the seven endpoints', async () => {
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
      reason: null,
    })}\n`,
  });
  expect(watched.stderr).toMatch(
    /^This service has no events: polling notifications every 1 s\.\n/,
  );
});

it('orders watch of notifications continues after an outage, and misses nothing', async () => {
  const service = await BareService.start();
  service.orders = [anOrder({ id: 'ord_1', status: 'confirmed' })];
  let rounds = 0;
  const interrupt = new AbortController();
  service.instead = ({ path }) => {
    if (path !== '/v1/notifications') return undefined;
    rounds += 1;
    if (rounds > 1 && rounds < 7) return { status: 503, body: '' };
    if (rounds > 1) service.notifications = [aNotification({ id: 'ntf_2', orderId: 'ord_1' })];
    if (rounds > 7) interrupt.abort();
    return undefined;
  };
  const watched = await service.cli(['orders', 'watch', '--output', 'ndjson'], {
    signal: interrupt.signal,
    wait: async () => {},
  });
  expect(watched.exitCode).toBe(130);
  expect(watched.stdout.split('\n')).toHaveLength(2);
  expect(watched.stderr).toContain('Retrying for up to 5 minutes.\nReconnected.\n');
});

it('Ctrl-C ends orders watch of notifications during an outage', async () => {
  const service = await BareService.start();
  const interrupt = new AbortController();
  service.instead = () => {
    const rounds = service.seen.filter(({ path }) => path === '/v1/notifications').length;
    return rounds > 1 ? { status: 503, body: '' } : undefined;
  };
  const wait = async () => {
    if (service.seen.length > 3) interrupt.abort();
  };
  const { signal } = interrupt;
  const watched = await service.cli(['orders', 'watch'], { signal, wait });
  expect(watched.exitCode).toBe(130);
  // No error: it has no other end.
  expect(watched.stderr).toMatch(/Retrying for up to 5 minutes\.\n$/);
});

it('orders watch does not switch to notifications after it has read the event log', async () => {
  const service = await EventService.start();
  const before = service.bare.instead;
  // It was asked where it ends; that it is followed from there is what fails.
  service.bare.instead = (request) =>
    request.query.waitSeconds === undefined ? before(request) : { status: 404, body: '' };
  const { exitCode, stderr } = await service.bare.cli(['orders', 'watch', '--output', 'ndjson']);
  expect(exitCode).toBe(2);
  expect(stderr).not.toContain('no event log');
});

it('orders watch --since starts with the notifications of that time', async () => {
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
    '2026-11-21T09:30:00.000Z,order.status_changed,ord_1,,confirmed,',
    '',
  ]);
});

it('orders watch reports when there are more notifications than it reads', async () => {
  const service = await BareService.start();
  service.orders = [anOrder({ id: 'ord_1', status: 'confirmed' })];
  const all = Array.from({ length: 1_101 }, (_, index) =>
    aNotification({ id: `ntf_${index}`, orderId: 'ord_1' }),
  );
  const interrupt = new AbortController();
  service.instead = ({ path, query }) => {
    if (path === '/v1/orders/ord_1') interrupt.abort();
    if (path !== '/v1/notifications') return undefined;
    const start = Number(query.cursor ?? 0);
    const data = all.slice(start, start + 100);
    const nextCursor = start + 100 < all.length ? String(start + 100) : null;
    return { status: 200, body: { data, nextCursor } };
  };
  const { stderr } = await service.cli(['orders', 'watch', '--since', '2026-11-20'], {
    signal: interrupt.signal,
  });
  expect(stderr).toContain('only the newest 1000 are shown');
});

it('orders watch ends when the event log disappears, and prints nothing twice', async () => {
  const { bare, log } = await EventService.start();
  const reply = bare.instead;
  bare.instead = (request) =>
    request.query.after === undefined ? reply(request) : { status: 404, body: '' };
  const argv = ['orders', 'watch', '--since', '2026-11-21T00:00:00.000Z', '--output', 'ndjson'];
  const { exitCode, stdout, stderr } = await bare.cli(argv);
  expect(exitCode).toBe(2);
  expect(stdout.trim().split('\n')).toHaveLength(log.length - 1);
  const { error } = JSON.parse(stderr);
  expect(error.hint).toContain('needs the extension events');
});

it('orders watch starts with new events by default', async () => {
  const service = await EventService.start();
  const interrupt = new AbortController();
  service.onEnd = () => {
    service.onEnd = () => interrupt.abort();
    service.log.push(anEvent(4));
  };
  const argv = ['orders', 'watch', '--output', 'ndjson'];
  const { stdout } = await service.bare.cli(argv, { signal: interrupt.signal });
  expect(stdout.trim().split('\n')).toHaveLength(1);
}, 30_000);

it.each([
  ['an idle terminal', () => undefined],
  ['a service that does not respond', () => new Promise<undefined>(() => {})],
])('Ctrl-C ends orders watch of %s without an error', async (_, respond) => {
  const service = await EventService.start();
  const interrupt = new AbortController();
  const before = service.bare.instead;
  service.bare.instead = async (request) => {
    if (request.query.waitSeconds === undefined) return before(request);
    setImmediate(() => interrupt.abort());
    return (await respond()) ?? before(request);
  };
  const { signal } = interrupt;
  const onTerminal = await service.bare.cli(['orders', 'watch'], {
    signal,
    screen: { columns: 80 },
  });
  expect(onTerminal).toMatchObject({
    exitCode: 130,
    // The line that the terminal has started with ^C is erased.
    stderr: 'Watching orders. Press Ctrl-C to stop.\n\u001b[1G\u001b[2K',
  });
});

it('orders watch says that it watches once the service has responded', async () => {
  const service = await EventService.start();
  service.bare.instead = () => ({ status: 401, body: '' });
  const { exitCode, stderr } = await service.bare.cli(['orders', 'watch'], {
    screen: { columns: 80 },
  });
  expect(exitCode).toBe(4);
  expect(stderr).not.toContain('Watching');
});

it('an idle orders watch waits for the service after its first requests', async () => {
  const service = await EventService.start();
  const before = service.bare.instead;
  const interrupt = new AbortController();
  let failures = 0;
  service.bare.instead = (request) => {
    if (request.query.waitSeconds === undefined && failures === 0) return before(request);
    if (failures > 7) interrupt.abort();
    failures += 1;
    if (failures < 8) return { status: 502, body: '' };
    if (failures === 8) service.log.push(anEvent(4));
    return before(request);
  };
  const { exitCode, stdout, stderr } = await service.bare.cli(
    ['orders', 'watch', '--output', 'csv'],
    { signal: interrupt.signal, wait: async () => {} },
  );
  expect(exitCode).toBe(130);
  expect(stdout.trim().split('\n')).toHaveLength(2);
  expect(stderr).toMatch(/Retrying for up to 5 minutes\.\nReconnected\.\n$/);
});

it('orders watch ends if events were removed before it read them, and says what to do', async () => {
  const service = await EventService.start();
  const before = service.bare.instead;
  service.bare.instead = (request) =>
    request.query.waitSeconds === undefined ? before(request) : aProblem(410, 'cursor_expired');
  const { exitCode, stderr } = await service.bare.cli(['orders', 'watch'], {
    screen: { columns: 200 },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Start again with --since');
  expect(stderr).toContain('tradepost orders list --all');
});

it('orders watch does not wait for an order that does not exist', async () => {
  const { bare } = await EventService.start();
  const { exitCode, stderr } = await bare.cli(['orders', 'watch', 'ord_nope']);
  expect(exitCode).toBe(5);
  expect(stderr).toContain('/v1/orders/ord_nope');
});

it('orders watch rejects invalid order IDs before anything is sent', async () => {
  const service = await BareService.start();
  expect(await service.cli(['orders', 'watch', 'ntf_1'])).toMatchObject({
    exitCode: 2,
    stdout: '',
  });
  expect(await service.cli(['orders', 'watch', '--poll', '0'])).toMatchObject({ exitCode: 2 });
  expect(service.seen).toEqual([]);
});
