import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startService } from './service';

/** A connection on which a request can be sent piece by piece. */
function open(
  port: number,
): Promise<{ send(bytes: string): Promise<void>; answer: Promise<string> }> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1', () => {
      resolve({
        send: (bytes) => new Promise((sent) => socket.write(bytes, () => sent())),
        answer,
      });
    });
    let text = '';
    const answer = new Promise<string>((done) => socket.once('close', () => done(text)));
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.once('error', reject);
  });
}

it('answers what was asked before it stops, and refuses with 503 what is asked after', async () => {
  const service = await startService();
  const buyer = await service.account('buyer');
  const seller = await service.account('seller');
  const listing = await service.listing(seller);
  const body = JSON.stringify({ listingId: listing.id, quantity: 1 });

  const early = await open(service.port);
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
  const late = await open(service.port);
  await late.send('GET /v1/orders HTTP/1.1\r\nHost: x\r\n');
  // An answer on a third connection shows that the bytes on the first two have arrived.
  await service.ask('GET /v1/orders', { as: buyer });

  const closed = service.close();
  await late.send(`Authorization: Bearer ${buyer.key}\r\n\r\n`);
  const refused = await late.answer;
  expect(refused).toContain('HTTP/1.1 503 ');
  expect(refused).toContain('Retry-After: 1');
  expect(refused).toContain('"code":"shutting_down"');

  await early.send(body.slice(10));
  const answered = await early.answer;
  expect(answered).toContain('HTTP/1.1 201 Created');
  await closed;
});

it('closes once, however often it is asked to', async () => {
  const service = await startService();
  await Promise.all([service.close(), service.close()]);
  await expect(service.ask('GET /v1/orders')).rejects.toThrow();
});
