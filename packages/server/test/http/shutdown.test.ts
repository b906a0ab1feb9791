import { once } from 'node:events';
import { connect } from 'node:net';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { strictWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { expect, it } from 'vitest';
import { createLog } from '../../src/kernel/log';
import { startApi } from '../../src/runtime/api';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { startService } from './service';

it('a stopping server responds to earlier requests, and rejects later ones with 503', async () => {
  const service = await startService();
  const buyer = await service.account('buyer');
  const seller = await service.account('seller');
  const listing = await service.listing(seller);
  const body = JSON.stringify({ listingId: listing.id, quantity: 1 });

  const early = await service.openConnection();
  await early.send(
    [
      'POST /v1/orders HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${buyer.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body.slice(0, 10),
    ].join('\r\n'),
  );
  const late = await service.openConnection();
  await late.send('GET /v1/orders HTTP/1.1\r\nHost: x\r\n');
  // A response on a third connection shows that the bytes on the first two have arrived.
  await service.request('GET /v1/orders', { as: buyer });

  const closed = service.close();
  await late.send(`Authorization: Bearer ${buyer.key}\r\n\r\n`);
  const rejected = await late.response;
  expect(rejected).toContain('HTTP/1.1 503 ');
  expect(rejected).toContain('Retry-After: 1');
  expect(rejected).toContain('"code":"shutting_down"');

  await early.send(body.slice(10));
  const accepted = await early.response;
  expect(accepted).toContain('HTTP/1.1 201 Created');
  await closed;
});

it('a stopping server closes connections without a request at once', async () => {
  const store = openSqliteStore(':memory:');
  // Its timers never run: nothing is closed after a timeout.
  const clock = new FakeClock();
  const api = await startApi({
    store,
    clock,
    log: createLog('silent'),
    port: 0,
    host: '127.0.0.1',
    rateLimit: 1,
    webhookPolicy: strictWebhookPolicy,
  });
  const socket = connect(api.port, '127.0.0.1');
  const closed = once(socket.resume(), 'close');
  await once(socket, 'connect');
  // A response on another connection shows that the server has accepted this one. It stays open, too.
  await fetch(`${api.url}/livez`);
  await api.stop(1_000);
  await closed;
  await store.close();
});

it('a server closes once, however often close is called', async () => {
  const service = await startService();
  await Promise.all([service.close(), service.close()]);
  await expect(service.request('GET /v1/orders')).rejects.toThrow();
});
