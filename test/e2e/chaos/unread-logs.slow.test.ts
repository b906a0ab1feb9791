import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { makePipe } from '../../helpers/make-pipe';
import { startReceiver } from '../../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';

const requests = 800;
const clients = 8;
const everyRequest = ['--log-requests', '1000000'];
/** A stop takes a second if the log is not read. In milliseconds, with time for a slow machine. */
const stopTimeoutMs = 10_000;
/** Causes log lines of 3 kB, which together exceed a pipe and the log's buffer of 1 MiB. */
const longPath = `/v1/orders/ord_${'x'.repeat(3_000)}`;

/** Sends requests from several clients at once. Returns how often each status occurred. */
async function sendRequests({ server, buyer, seller }: SeededServer) {
  const statuses: Record<number, number> = {};
  let sent = 0;
  async function sendOneByOne(apiKey: string): Promise<void> {
    while (sent < requests) {
      sent += 1;
      const headers = { Authorization: `Bearer ${apiKey}` };
      const response = await fetch(server.url + longPath, { headers });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  }
  const keys = [buyer.apiKey, seller.apiKey];
  const sending = Array.from({ length: clients }, (_, n) => sendOneByOne(keys[n % 2] ?? ''));
  await Promise.all(sending);
  return statuses;
}

it.each([
  ['pipe', async () => (await makePipe()).inherited],
  ['socket', async () => 'unread' as const],
])(
  'the server responds, delivers and stops in time while its stderr, a %s, is not read',
  async (_, open) => {
    const receiver = await forTest(startReceiver());
    const service = await forTest(
      startSeededServer([...everyRequest, '--log-level', 'debug'], {
        stderr: await open(),
      }),
    );
    const { server, seller, seed } = service;
    const client = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
    await client.webhooks.create({ url: receiver.url, events: ['order.status_changed'] });

    expect(await sendRequests(service)).toEqual({ 404: requests });
    await client.orders.update(seed.orders[0]?.id ?? '', { status: 'confirmed' });
    await receiver.until(({ length }) => length === 1);

    const started = performance.now();
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(stopTimeoutMs);
  },
  90_000,
);

it('a late reader of stderr gets complete lines and the number of dropped ones', async () => {
  const service = await forTest(startSeededServer(everyRequest, { stderr: 'unread' }));
  const { server } = service;
  await sendRequests(service);

  server.readStderr();
  await server.writes(/"msg":"log lines dropped: .*\n/, 'stderr');
  await fetch(server.url);
  await server.writes(/"path":"\/".*\n/, 'stderr');
  const { code, stderr } = await server.stop('SIGTERM');
  expect(code).toBe(0);
  const lines = stderr
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  const logged = lines.filter(({ msg }) => msg === 'request').length;
  const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
  expect(dropped).toBeGreaterThan(0);
  expect(logged + dropped).toBe(requests + 1);
  expect(lines.slice(-2).map(({ msg }) => msg)).toEqual([
    'the server is stopping',
    'the server stopped',
  ]);
}, 90_000);
