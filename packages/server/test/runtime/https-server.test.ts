import { once } from 'node:events';
import { type RequestOptions, request } from 'node:https';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { systemClock } from '@tradepost/domain/kernel/context';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { strictWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { expect, onTestFinished, test } from 'vitest';
import { type Api, type ApiOptions, startApi } from '../../src/runtime/api';
import { createHttpsServer } from '../../src/runtime/https-server';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { CapturedLog } from '../helpers/captured-log';
import { selfSignedCertificate } from '../helpers/self-signed-certificate';

const certificate = selfSignedCertificate();

/** Starts an API with TLS. Its timers never run, so nothing is closed after a timeout. */
async function startHttps(options: Partial<ApiOptions> = {}) {
  const store = openSqliteStore(':memory:');
  const logs = new CapturedLog();
  const api = await startApi({
    store,
    clock: new FakeClock(),
    log: logs.log,
    port: 0,
    host: '127.0.0.1',
    rateLimit: 100,
    webhookPolicy: strictWebhookPolicy,
    tls: certificate,
    ...options,
  });
  onTestFinished(async () => {
    await api.stop(0);
    await store.close();
  });
  return { api, logs };
}

/** Sends a request on a connection of its own. */
async function get(url: string, options: RequestOptions = {}) {
  const sent = request(url, { ca: certificate.cert, agent: false, ...options });
  sent.end(options.method === 'POST' ? '{}' : undefined);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Opens a TLS connection and finishes its handshake. */
async function openTls({ port }: Api, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', ca: certificate.cert, ...options });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

async function openTcp({ port }: Pick<Api, 'port'>): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

test('an API with a certificate serves HTTPS, with its URL and the same responses as HTTP', async () => {
  const { api } = await startHttps();
  expect(api.url).toBe(`https://127.0.0.1:${api.port}`);
  expect(await get(`${api.url}/livez`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  const rejected = await get(`${api.url}/v1/orders`, { method: 'POST' });
  expect(rejected.status).toBe(401);
  expect(rejected.headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(rejected.body)).toMatchObject({
    code: 'missing_api_key',
    requestId: rejected.headers['x-request-id'],
  });
});

test('an HTTPS API responds to invalid HTTP with a problem', async () => {
  const { api } = await startHttps();
  const socket = await openTls(api);
  socket.write('NOT HTTP\r\n\r\n');
  expect(await text(socket)).toContain('"code":"malformed_request"');
});

test('an HTTPS API negotiates TLS 1.3, accepts TLS 1.2 with forward secrecy, and nothing older', async () => {
  const { api } = await startHttps();
  expect((await openTls(api)).getProtocol()).toBe('TLSv1.3');
  const older = await openTls(api, { maxVersion: 'TLSv1.2' });
  expect([older.getProtocol(), older.getCipher().name]).toEqual([
    'TLSv1.2',
    expect.stringMatching(/^ECDHE-.*(GCM|POLY1305)/),
  ]);
  const weak = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' } as const;
  await expect(openTls(api, weak)).rejects.toThrow('handshake failure');
  const obsolete = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
  await expect(openTls(api, { ...obsolete, ciphers: 'DEFAULT@SECLEVEL=0' })).rejects.toThrow(
    'alert protocol version',
  );
});

test('failed handshakes end neither the server nor other connections, and are logged with their number', async () => {
  const { api, logs } = await startHttps();
  for (let count = 0; count < 20; count += 1) {
    const socket = await openTcp(api);
    const closed = once(socket.resume(), 'close');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed;
  }
  expect(await get(`${api.url}/livez`)).toMatchObject({ status: 200 });
  expect(logs.text.map((line) => JSON.parse(line)).filter(({ level }) => level > 30)).toEqual([
    expect.objectContaining({
      msg: 'TLS handshakes failed',
      failed: 1,
      code: 'ERR_SSL_HTTP_REQUEST',
    }),
  ]);
});

test('a connection that is closed or reset without a handshake is not logged', async () => {
  const { api, logs } = await startHttps();
  (await openTcp(api)).destroy();
  (await openTcp(api)).resetAndDestroy();
  const partial = await openTcp(api);
  // The start of a ClientHello.
  partial.write(Buffer.from('1603010200010001fc0303', 'hex'), () => partial.resetAndDestroy());
  await once(partial, 'close');
  expect(await get(`${api.url}/livez`)).toMatchObject({ status: 200 });
  expect(logs.text.filter((line) => line.includes('handshake'))).toEqual([]);
});

test('a handshake that takes too long is closed', async () => {
  const logs = new CapturedLog();
  const { server } = createHttpsServer({}, () => {}, {
    tls: certificate,
    log: logs.log,
    clock: systemClock,
    handshakeTimeoutMs: 20,
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const silent = await openTcp({ port });
  await once(silent.resume(), 'close');
  expect(await logs.next('TLS handshakes failed')).toMatchObject({
    code: 'ERR_TLS_HANDSHAKE_TIMEOUT',
  });
});

test('a renewed certificate is used for new connections, and open ones continue', async () => {
  const { api } = await startHttps();
  const socket = await openTls(api);
  const renewed = selfSignedCertificate();
  api.setTls(renewed);
  expect(await get(`${api.url}/livez`, { ca: renewed.cert })).toMatchObject({ status: 200 });
  await expect(get(`${api.url}/livez`)).rejects.toThrow('self-signed certificate');
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toContain('{"status":"ok"}');
  // The protection against old versions stays.
  const obsolete = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ca: renewed.cert } as const;
  await expect(openTls(api, { ...obsolete, ciphers: 'DEFAULT@SECLEVEL=0' })).rejects.toThrow(
    'alert protocol version',
  );
});

test('an invalid renewed certificate is rejected, and the server keeps the previous one', async () => {
  const { api } = await startHttps();
  const { key } = selfSignedCertificate();
  expect(() => api.setTls({ cert: certificate.cert, key })).toThrow('key values mismatch');
  expect(await get(`${api.url}/livez`)).toMatchObject({ status: 200 });
});

test('an API that was started without TLS cannot get a certificate', async () => {
  const { api } = await startHttps({ tls: undefined });
  expect(() => api.setTls(certificate)).toThrow('without TLS');
});

test('connections above the limit are closed before their handshake', async () => {
  const { api, logs } = await startHttps({ maxConnections: 1 });
  await openTls(api);
  expect(api.load).toMatchObject({ connections: 1, queueLength: 0, rejected: { overloaded: 0 } });
  await expect(openTls(api)).rejects.toThrow();
  expect(await logs.next('connections rejected: the limit is reached')).toMatchObject({ limit: 1 });
});

test('a stopping HTTPS server closes connections without a request at once, and finishes requests', async () => {
  const { api } = await startHttps();
  const withoutHandshake = await openTcp(api);
  const unused = await openTls(api);
  const idle = await openTls(api);
  idle.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(idle, 'data');
  const late = await openTls(api);
  late.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
  // A response on another connection shows that the bytes of the others have arrived.
  await get(`${api.url}/livez`);
  const closed = [withoutHandshake, unused, idle].map((socket) => once(socket.resume(), 'close'));
  const stopped = api.stop(1_000);
  await Promise.all(closed);
  late.write('\r\n');
  expect(await text(late)).toMatch(/^HTTP\/1.1 200 OK.*Connection: close/s);
  await stopped;
});

test('connections in use are destroyed after the timeout of a stop', async () => {
  const clock = new FakeClock();
  const { api } = await startHttps({ clock });
  const socket = await openTls(api);
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
  await get(`${api.url}/livez`);
  const closed = once(socket.resume(), 'close');
  const stopped = api.stop(1_000);
  await clock.advance(1_000);
  await Promise.all([closed, stopped]);
});

test('a reset after the handshake does not end the process', async () => {
  const { api } = await startHttps();
  for (const rest of ['', 'GET /livez HTTP/1.1\r\nHost: x\r\n']) {
    const tcp = await openTcp(api);
    const carrier = Duplex.from({ readable: tcp, writable: tcp });
    const socket = connect({ socket: carrier, ca: certificate.cert, host: '127.0.0.1' });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    if (rest !== '') socket.write(rest);
    tcp.resetAndDestroy();
  }
  expect(await get(`${api.url}/livez`)).toMatchObject({ status: 200 });
});
