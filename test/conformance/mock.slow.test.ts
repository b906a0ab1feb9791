import { mockTradepost } from '@tradepost/sdk/testing';
import { expect, test } from 'vitest';
import { createProfile } from '../../packages/conformance/src/profile/profile';
import { checkService } from '../../packages/conformance/src/run/check-service';
import { forTest } from '../helpers/for-test';
import { findUnusedPort, startHttpServer } from '../helpers/loopback';
import { findings } from './run-kit';

/** Serves a mock over HTTP, and delivers its events to a receiver after each request that may cause some. */
async function serveMock(receiverPort: number) {
  const mock = mockTradepost({ now: Date.now });
  const { fetch: send, baseUrl } = mock.clientOptions('buyer');
  const toReceiver = (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const forwarded = new Request(`http://127.0.0.1:${receiverPort}${pathname}${search}`, request);
    // When the kit has finished, its receiver is gone.
    return fetch(forwarded).catch(() => new Response(null, { status: 503 }));
  };
  let delivering = Promise.resolve();
  const server = await startHttpServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = incoming;
    const response = await send(baseUrl + url, {
      method,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks).toString() }),
    } as never);
    const text = await response.text();
    outgoing.writeHead(response.status, Object.fromEntries(response.headers as never));
    outgoing.end(text);
    if (method !== 'GET') {
      delivering = delivering.then(async () => {
        await mock.deliver(toReceiver);
      });
    }
  });
  return { mock, server, delivered: () => delivering };
}

test('the mock of the SDK conforms', async () => {
  const receiverPort = await findUnusedPort();
  const { mock, server, delivered } = await serveMock(receiverPort);
  await forTest(Promise.resolve(server));
  const stranger = mock.addAccount({ name: 'Corner Shop' });
  const key = (account: Parameters<typeof mock.clientOptions>[0]) =>
    mock.clientOptions(account).apiKey;
  const { agent } = mock.accounts;
  const report = await checkService(
    createProfile({
      baseUrl: server.url,
      keys: {
        ...{ buyer: key('buyer'), seller: key('seller') },
        ...{ agent: key('agent'), stranger: key(stranger) },
      },
      listing: mock.addListing({ availableQuantity: 100 }).id,
      listingWithAgent: mock.addListing({ agentId: agent.id, availableQuantity: 100 }).id,
      receiver: {
        publicUrl: 'https://receiver.example',
        listen: { port: receiverPort },
      },
      events: { withinSeconds: 5, quietSeconds: 0.3 },
    }),
    // A delivery that the mock repeats is due at once: it has no backoff to observe.
    { mode: 'quick', level: 'core' },
  );
  await delivered();
  expect(report, findings(report).join('\n')).toMatchObject({ exitCode: 0 });
});
