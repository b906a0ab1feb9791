import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostServerBin } from '../../helpers/programs';
import { registerWebhook } from '../../helpers/register-webhook';
import { seedDatabase } from '../../helpers/seed';
import { type FaultyReceiver, startFaultyReceiver } from '../../helpers/start-faulty-receiver';
import { startProcess } from '../../helpers/start-process';
import { startHttpReceiver } from '../../helpers/start-receiver';
import { startServerProcess } from '../../helpers/start-server-process';
import { temporaryFolder } from '../../helpers/temporary-folder';

const twice = 'HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nRetry-After: 0\r\n';

/** Responses that once ended an attempt twice or never, or ended the process. */
const responses: Record<string, string> = {
  'Retry-After twice, in a whole response': `${twice}Content-Length: 2\r\n\r\nno`,
  'Retry-After twice, in a truncated response': `${twice}Content-Length: 20\r\n\r\nno`,
  'Retry-After twice, and no body': `${twice}\r\n`,
  'every header twice':
    'HTTP/1.1 429 No\r\nDate: x\r\nDate: y\r\nETag: 1\r\nETag: 2\r\nContent-Type: a\r\nContent-Type: b\r\nRetry-After: 1\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n',
  'names of JavaScript':
    'HTTP/1.1 503 No\r\n__proto__: 1\r\nconstructor: 2\r\nRetry-After: 0\r\n\r\n',
};

/** Starts a receiver that sends the same bytes to each request and closes the connection. */
async function startHostileReceiver(bytes: string): Promise<FaultyReceiver> {
  return await forTest(startFaultyReceiver((socket) => socket.end(bytes, 'latin1')));
}

it.each(['all', 'worker'])(
  'the engine of role %s survives every response, and delivers to another account meanwhile',
  async (role) => {
    const folder = await forTest(temporaryFolder());
    const database = join(folder.path, 'tradepost.db');
    const seed = await seedDatabase(database);
    const server = await forTest(
      startServerProcess(database, role === 'all' ? [] : ['--role', 'api']),
    );
    const start = [
      'start',
      '--role',
      'worker',
      '--database',
      database,
      '--allow-insecure-webhooks',
    ];
    const engine =
      role === 'all' ? server : startProcess(process.execPath, [tradepostServerBin, ...start]);
    onTestFinished(async () => {
      await engine.stop();
    });
    const client = (index: number) =>
      new Tradepost({ baseUrl: server.url, apiKey: seed.accounts[index]?.apiKey ?? '' });
    const [buyer, seller] = [client(0), client(1)];
    const healthy = await forTest(startHttpReceiver());
    await seller.webhooks.create({ url: healthy.url, events: ['order.created'] });
    const hostile = await Promise.all(
      Object.entries(responses).map(async ([name, bytes]) => {
        const { url } = await startHostileReceiver(bytes);
        const { id } = await registerWebhook(buyer, { url, events: ['order.created'] });
        return { name, id };
      }),
    );

    const listingId = seed.listings[0]?.id ?? '';
    const rounds = 8;
    for (let count = 0; count < rounds; count += 1) {
      await buyer.orders.create({ listingId, quantity: 1 });
    }
    await healthy.until(({ length }) => length === rounds);
    for (const { name, id } of hostile) {
      await engine.writes(new RegExp(`"webhookId":"${id}".*"msg":"attempt"`), 'stderr');
      const { data } = await buyer.deliveries.list({ webhookId: id, limit: 100 });
      expect(data.length, name).toBe(rounds);
      expect(
        data.some(({ lastStatus }) => lastStatus === 503 || lastStatus === 429),
        name,
      ).toBe(true);
    }
    expect(engine.stderr()).not.toMatch(/thread died|could not make an attempt/);
    expect(await engine.stop('SIGTERM')).toMatchObject({ code: 0 });
  },
  60_000,
);
