import { expect, it } from 'vitest';
import { startService } from './service';

it('responds to requests from before the stop, and rejects later ones with 503', async () => {
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
  // An answer on a third connection shows that the bytes on the first two have arrived.
  await service.ask('GET /v1/orders', { as: buyer });

  const closed = service.close();
  await late.send(`Authorization: Bearer ${buyer.key}\r\n\r\n`);
  const refused = await late.response;
  expect(refused).toContain('HTTP/1.1 503 ');
  expect(refused).toContain('Retry-After: 1');
  expect(refused).toContain('"code":"shutting_down"');

  await early.send(body.slice(10));
  const answered = await early.response;
  expect(answered).toContain('HTTP/1.1 201 Created');
  await closed;
});

it('closes once, however often close is called', async () => {
  const service = await startService();
  await Promise.all([service.close(), service.close()]);
  await expect(service.ask('GET /v1/orders')).rejects.toThrow();
});
