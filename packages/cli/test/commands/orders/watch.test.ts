import { expect, it } from 'vitest';
import { EventService } from '../../helpers/event-service';
import { aProblem, BareService } from '../../helpers/minimal-service';
import { anEvent } from '../../helpers/webhook-builders';

it('orders watch needs a service that has events', async () => {
  const service = await BareService.start();
  const { exitCode, stdout, stderr } = await service.cli(['orders', 'watch']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain('needs the extension events');
});

it('Ctrl-C ends orders watch during an outage', async () => {
  const { bare } = await EventService.start();
  const interrupt = new AbortController();
  const before = bare.instead;
  bare.instead = (request) => (bare.seen.length > 2 ? { status: 503, body: '' } : before(request));
  const wait = async () => {
    if (bare.seen.length > 4) interrupt.abort();
  };
  const { signal } = interrupt;
  const { exitCode, stderr } = await bare.cli(['orders', 'watch'], { signal, wait });
  expect(exitCode).toBe(130);
  // No error: it has no other end.
  expect(stderr).toMatch(/Retrying for up to 5 minutes\.\n$/);
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
  expect(service.seen).toEqual([]);
});
