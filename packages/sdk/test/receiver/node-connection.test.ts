import type { RequestListener } from 'node:http';
import fastify from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { exampleSecret as secret, signDelivery } from '../../src/testing/index';
import { aGate } from '../helpers/receiver/a-gate';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { getServerPort } from '../helpers/receiver/host';
import { maxBytes, now } from '../helpers/receiver/limits';
import { listening } from '../helpers/receiver/listening';
import {
  connected,
  type RawConnection,
  rawConnection,
  readAll,
  requestHead,
} from '../helpers/receiver/raw-connection';
import { anEvent } from '../helpers/receiver/send';

const delivery = await signDelivery({ event: anEvent, secret, sentAt: now });
const head = requestHead({ ...delivery.headers, 'Content-Length': delivery.body.length });
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
  test('may send its body in pieces', async () => {
    const { receiver, handled } = aReceiver();
    const { socket } = await aConnection(receiver.node);
    socket.write(
      requestHead({ ...delivery.headers, 'Transfer-Encoding': 'chunked', Connection: 'close' }),
    );
    const response = readAll(socket);
    for (const byte of delivery.body) socket.write(Buffer.from([0x31, 13, 10, byte, 13, 10]));
    socket.write('0\r\n\r\n');
    expect(await response).toMatch(/^HTTP\/1.1 204 No Content\r\n/);
    expect(handled).toEqual([anEvent]);
  });

  test('that disconnects in the middle of a body reaches no handler and causes no error', async () => {
    const { receiver, handled, rejected, errors } = aReceiver();
    const [started, ended] = [aGate(), aGate()];
    const { socket } = await aConnection(async (request, response) => {
      request.once('data', started.open);
      await receiver.node(request, response);
      ended.open();
    });
    socket.write(head);
    socket.write(delivery.body.subarray(0, 20));
    await started.opened;
    socket.destroy();
    await ended.opened;
    expect([handled, rejected, errors]).toEqual([[], [], []]);
  });

  test('that has already disconnected reaches no handler', async () => {
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

  test('that disconnects from Fastify reaches no handler and does not keep the application open', async () => {
    const { receiver, handled } = aReceiver();
    const started = aGate();
    const app = fastify();
    app.addHook('onRequest', async ({ raw }) => {
      raw.once('data', started.open);
    });
    await app.register(receiver.fastify, { url: '/webhooks' });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const socket = await connected(getServerPort(app.server));
    socket.write(head);
    socket.write(delivery.body.subarray(0, 20));
    await started.opened;
    socket.destroy();
    await app.close();
    expect(handled).toEqual([]);
  });
});

describe('a body that is too large', () => {
  test('by its Content-Length is rejected before its first byte arrives, and the connection is closed', async () => {
    const { receiver, rejected } = aReceiver();
    const { socket } = await aConnection(receiver.node);
    socket.write(requestHead({ ...delivery.headers, 'Content-Length': maxBytes + 1 }));
    const response = await readAll(socket);
    expect(response).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\n/);
    expect(response).toMatch(/\r\nConnection: close\r\n/);
    expect(response).toMatch(/BODY_TOO_LARGE$/);
    expect(rejected).toEqual(['BODY_TOO_LARGE']);
  });

  test('is rejected as soon as possible, and a sender that continues is disconnected', async () => {
    const { receiver, rejected, handled } = aReceiver();
    const { socket } = await aConnection(receiver.node);
    socket.write(requestHead({ ...delivery.headers, 'Transfer-Encoding': 'chunked' }));
    const response = readAll(socket);
    const piece = Buffer.concat([
      Buffer.from('400\r\n'),
      Buffer.alloc(1_024, ' '),
      Buffer.from('\r\n'),
    ]);
    // Sends until the receiver closes the connection.
    const more = () => {
      if (socket.writable) socket.write(piece, more);
    };
    more();
    expect(await response).toMatch(/^HTTP\/1.1 413 Payload Too Large\r\n/);
    expect(await response).toMatch(/BODY_TOO_LARGE$/);
    expect(rejected).toEqual(['BODY_TOO_LARGE']);
    expect(handled).toEqual([]);
  });

  test('is rejected for one byte above the limit, and accepted at the limit', async () => {
    const { receiver, rejected } = aReceiver();
    const host = await listening(receiver.node);
    const filler = (size: number) =>
      signDelivery({ body: new Uint8Array(size).fill(32), secret, sentAt: now });
    expect((await host.send(await filler(maxBytes))).body).toBe('MALFORMED_BODY');
    expect((await host.send(await filler(maxBytes + 1))).body).toBe('BODY_TOO_LARGE');
    await host.stop();
    expect(rejected).toHaveLength(2);
  });
});

describe('the connection of a complete request', () => {
  test('stays open after the response', async () => {
    const { receiver } = aReceiver();
    const { socket } = await aConnection(receiver.node);
    const responses = readAll(socket);
    socket.write(head);
    socket.write(delivery.body);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const statuses = [...(await responses).matchAll(/HTTP\/1.1 (\d+)/g)].map(
      ([, status]) => status,
    );
    expect(statuses).toEqual(['204', '405', '405']);
  });
});
