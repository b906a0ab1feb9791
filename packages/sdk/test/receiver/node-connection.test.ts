import type { RequestListener } from 'node:http';
import fastify from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { exampleSecret as secret, signDelivery } from '../../src/testing/index';
import { aGate } from '../helpers/receiver/a-gate';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { maxBytes, now } from '../helpers/receiver/limits';
import { listening, portOf } from '../helpers/receiver/listening';
import {
  allOf,
  connected,
  headOf,
  type RawConnection,
  rawConnection,
} from '../helpers/receiver/raw-connection';
import { anEvent } from '../helpers/receiver/send';

const delivery = await signDelivery({ event: anEvent, secret, sentAt: now });
const head = headOf({ ...delivery.headers, 'Content-Length': delivery.body.length });
const open: RawConnection[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});

async function aConnection(listener: RequestListener): Promise<RawConnection> {
  const connection = await rawConnection(listener);
  open.push(connection);
  return connection;
}

describe('a sender', () => {
  test('is heard when it sends piece by piece', async () => {
    const { receiver, handled } = aReceiver();
    const { socket } = await aConnection(receiver.node);
    socket.write(
      headOf({ ...delivery.headers, 'Transfer-Encoding': 'chunked', Connection: 'close' }),
    );
    const answer = allOf(socket);
    for (const byte of delivery.body) socket.write(Buffer.from([0x31, 13, 10, byte, 13, 10]));
    socket.write('0\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1.1 204 No Content\r\n/);
    expect(handled).toEqual([anEvent]);
  });

  test('that goes away in the middle of a body reaches no handler and leaves nothing', async () => {
    const { receiver, handled, refused, errors } = aReceiver();
    const [begun, ended] = [aGate(), aGate()];
    const { socket } = await aConnection(async (request, response) => {
      request.once('data', begun.open);
      await receiver.node(request, response);
      ended.open();
    });
    socket.write(head);
    socket.write(delivery.body.subarray(0, 20));
    await begun.opened;
    socket.destroy();
    await ended.opened;
    expect([handled, refused, errors]).toEqual([[], [], []]);
  });

  test('that is gone already reaches no handler', async () => {
    const { receiver, handled } = aReceiver();
    const ended = aGate();
    const { socket } = await aConnection(async (request, response) => {
      request.destroy();
      await receiver.node(request, response);
      ended.open();
    });
    socket.on('error', () => undefined);
    socket.write(head);
    await ended.opened;
    expect(handled).toEqual([]);
  });

  test('that goes away from Fastify reaches no handler, and does not keep it from closing', async () => {
    const { receiver, handled } = aReceiver();
    const begun = aGate();
    const app = fastify();
    app.addHook('onRequest', async ({ raw }) => {
      raw.once('data', begun.open);
    });
    await app.register(receiver.fastify, { url: '/webhooks' });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const socket = await connected(portOf(app.server));
    socket.write(head);
    socket.write(delivery.body.subarray(0, 20));
    await begun.opened;
    socket.destroy();
    await app.close();
    expect(handled).toEqual([]);
  });
});

describe('a body that is too large', () => {
  test('by its Content-Length is refused before a byte of it came, and the connection closed', async () => {
    const { receiver, refused } = aReceiver();
    const { socket } = await aConnection(receiver.node);
    socket.write(headOf({ ...delivery.headers, 'Content-Length': maxBytes + 1 }));
    const answer = await allOf(socket);
    expect(answer).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).toMatch(/BODY_TOO_LARGE$/);
    expect(refused).toEqual(['BODY_TOO_LARGE']);
  });

  test('is rejected as soon as possible, and a sender that continues is disconnected', async () => {
    const { receiver, refused, handled } = aReceiver();
    const { socket } = await aConnection(receiver.node);
    socket.write(headOf({ ...delivery.headers, 'Transfer-Encoding': 'chunked' }));
    const answer = allOf(socket);
    const piece = Buffer.concat([
      Buffer.from('400\r\n'),
      Buffer.alloc(1_024, ' '),
      Buffer.from('\r\n'),
    ]);
    // Sends for as long as it is let.
    const more = () => {
      if (socket.writable) socket.write(piece, more);
    };
    more();
    expect(await answer).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\n/);
    expect(await answer).toMatch(/BODY_TOO_LARGE$/);
    expect(refused).toEqual(['BODY_TOO_LARGE']);
    expect(handled).toEqual([]);
  });

  test('by one byte is refused, and one of just that size is not', async () => {
    const { receiver, refused } = aReceiver();
    const host = await listening(receiver.node);
    const filler = (size: number) =>
      signDelivery({ body: new Uint8Array(size).fill(32), secret, sentAt: now });
    expect((await host.send(await filler(maxBytes))).body).toBe('MALFORMED_BODY');
    expect((await host.send(await filler(maxBytes + 1))).body).toBe('BODY_TOO_LARGE');
    await host.stop();
    expect(refused).toHaveLength(2);
  });
});

describe('the connection', () => {
  test('is kept after an answer to a request that arrived whole', async () => {
    const { receiver } = aReceiver();
    const { socket } = await aConnection(receiver.node);
    const answers = allOf(socket);
    socket.write(head);
    socket.write(delivery.body);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const statuses = [...(await answers).matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['204', '405', '405']);
  });
});
