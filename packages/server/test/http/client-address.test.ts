import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { ServerOptions } from '../../src/runtime/server';
import { CapturedLog } from '../helpers/captured-log';
import { startService } from './service';

async function startLogged(options: Partial<ServerOptions> = {}) {
  const logs = new CapturedLog();
  const service = await startService({ log: logs.log, ...options });
  onTestFinished(() => service.close());
  return { logs, service };
}

/** Returns the address that is logged for a request with this header. */
async function readAddress(trustProxy: string[] | undefined, forwardedFor: string) {
  const { logs, service } = await startLogged({ trustProxy });
  await service.request('GET /v1/orders', { headers: { 'X-Forwarded-For': forwardedFor } });
  return (await logs.next('request')).clientAddress;
}

it('the log has the address of the connection, whatever X-Forwarded-For says', async () => {
  expect(await readAddress(undefined, '203.0.113.7')).toBe('127.0.0.1');
  expect(await readAddress(['10.0.0.0/8'], '203.0.113.7')).toBe('127.0.0.1');
});

it.each([
  ['the client of a trusted proxy', ['loopback'], '203.0.113.7', '203.0.113.7'],
  ['a client with IPv6', ['127.0.0.1'], '2001:db8::7', '2001:db8::7'],
  [
    'the client of two trusted proxies',
    ['loopback', '10.0.0.5'],
    '203.0.113.7, 10.0.0.5',
    '203.0.113.7',
  ],
  ['not what the client claims', ['loopback'], '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['the proxy if the header has no address', ['loopback'], 'unknown', '127.0.0.1'],
  [
    'the client, without the port that some proxies append',
    ['loopback'],
    '203.0.113.7:80',
    '203.0.113.7',
  ],
  ['a client with IPv6, without its port', ['loopback'], '[2001:db8::7]:80', '2001:db8::7'],
  [
    'the proxy if the header has a port of no address',
    ['loopback'],
    '203.0.113.777:80',
    '127.0.0.1',
  ],
  [
    'the proxy if the header is too long to be an address',
    ['loopback'],
    'x'.repeat(8_000),
    '127.0.0.1',
  ],
  ['the proxy if the header is empty', ['loopback'], '', '127.0.0.1'],
])('the log has %s', async (_what, trustProxy, forwardedFor, address) => {
  expect(await readAddress(trustProxy, forwardedFor)).toBe(address);
});

it('the log has an IPv4 address as such, also of a server that listens on IPv6', async () => {
  const { logs, service } = await startLogged({ host: '::' });
  await fetch(`http://127.0.0.1:${service.port}/livez`);
  expect(await logs.next('request')).toMatchObject({ clientAddress: '127.0.0.1' });
});

it('the log has the address of a client that has closed its connection before the response', async () => {
  const { logs, service } = await startLogged();
  const buyer = await service.account('buyer');
  const socket = connect(service.port, '127.0.0.1');
  const request = `GET /v1/events?waitSeconds=30 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${buyer.key}\r\n\r\n`;
  await new Promise((sent) => socket.write(request, sent));
  // The response on another connection shows that the long poll has arrived.
  await service.request('GET /v1/account', { as: buyer });
  socket.destroy();
  await logs.next('request');
  expect(await logs.next('request')).toMatchObject({
    path: '/v1/events',
    clientAddress: '127.0.0.1',
    aborted: true,
  });
});
