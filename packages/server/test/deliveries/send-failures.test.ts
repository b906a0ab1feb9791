import { once } from 'node:events';
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nameError } from '../../src/deliveries/send';
import { insecureWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aClaimedDelivery } from '../builders';
import { Receiver } from '../receiver';
import { openSender, sendTo } from './sender-rig';

/** A server that does with each connection as it is told; its URL. */
async function openRawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('an attempt that gets no answer', () => {
  test('tells that the connection was refused', async () => {
    const server = createRawServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await once(server.close(), 'close');
    const attempt = await openSender().send(aClaimedDelivery({ url: `http://127.0.0.1:${port}/` }));
    expect(attempt).toMatchObject({ status: null, error: 'connection_refused', excerpt: '' });
  });

  test('tells that the connection was reset', async () => {
    const { attempt } = await sendTo((_response, request) => {
      request.socket.resetAndDestroy();
    });
    expect(attempt).toMatchObject({ status: null, error: 'connection_reset' });
  });

  test('tells that the connection was closed before an answer', async () => {
    const url = await openRawServer((socket) => socket.once('data', () => socket.end()));
    const attempt = await openSender().send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'connection_reset' });
  });

  test('tells that what came back is no HTTP', async () => {
    const url = await openRawServer((socket) =>
      socket.once('data', () => socket.end('220 mail.example ESMTP\r\n')),
    );
    const attempt = await openSender().send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'malformed_answer' });
  });

  test('ends at its deadline when the receiver takes the request and says nothing', async () => {
    const { attempt, receiver } = await sendTo(() => {}, 60);
    expect(attempt).toMatchObject({ status: null, error: 'timeout', excerpt: '' });
    expect(attempt.duration).toBeGreaterThanOrEqual(55);
    expect(receiver.count).toBe(1);
  });

  test('ends at its deadline when the answer never ends', async () => {
    const { attempt } = await sendTo((response) => {
      response.writeHead(500);
      response.write('and then');
    }, 60);
    expect(attempt).toMatchObject({ error: 'timeout' });
  });

  test('ends at its deadline when only interim answers come', async () => {
    const url = await openRawServer((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(3))),
    );
    const attempt = await openSender(insecureWebhookPolicy, 60).send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });

  test('tells that the name is unknown', async () => {
    const url = 'http://no-such-host.invalid/';
    const attempt = await openSender().send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'dns_failed' });
  });

  test('ends when the sender is closed, and so does every later one', async () => {
    const receiver = await Receiver.open(() => {});
    const sender = openSender();
    const delivery = aClaimedDelivery({ url: receiver.origin });
    const underWay = sender.send(delivery);
    await receiver.next();
    await sender.close();
    expect(await underWay).toMatchObject({ status: null, error: 'stopped' });
    expect(await sender.send(delivery)).toMatchObject({ status: null, error: 'stopped' });
  });
});

describe('names of errors', () => {
  test.each([
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'connection_refused'],
    [Object.assign(new Error('x'), { code: 'EPIPE' }), 'connection_reset'],
    [Object.assign(new Error('x'), { code: 'EAI_AGAIN' }), 'dns_failed'],
    [Object.assign(new Error('x'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), 'connect_timeout'],
    [Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }), 'tls_failed (CERT_HAS_EXPIRED)'],
    [
      Object.assign(new Error('x'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
      'tls_failed (ERR_TLS_CERT_ALTNAME_INVALID)',
    ],
    [Object.assign(new Error('x'), { code: 'EHOSTUNREACH' }), 'ehostunreach'],
    [Object.assign(new Error('x'), { code: 7 }), 'Error'],
    [new RangeError('x'), 'RangeError'],
    ['no error at all', 'unknown'],
    [undefined, 'unknown'],
  ])('%o is called %s', (error, name) => {
    expect(nameError(error)).toBe(name);
  });
});
