import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { insecureWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aClaimedDelivery } from '../builders';
import { Receiver } from '../receiver';
import type { Reply } from './dns-server';
import { openRawServer } from './raw-server';
import { openSender, openSenderWithDns, sendTo } from './sender-rig';

describe('an attempt that gets no answer', () => {
  test('tells that the connection was refused', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await once(server.close(), 'close');
    const attempt = await openSender().send(aClaimedDelivery({ url: `http://127.0.0.1:${port}/` }));
    expect(attempt).toMatchObject({ status: null, error: 'connection_refused', excerpt: '' });
  });

  test('tells where it went and with what all the same', async () => {
    const { attempt, delivery } = await sendTo((_response, request) => {
      request.socket.resetAndDestroy();
    });
    expect(attempt).toMatchObject({
      url: delivery.url,
      headers: { 'webhook-id': delivery.eventId, 'Content-Type': 'application/json' },
    });
  });

  test('tells that the connection was reset', async () => {
    const { attempt } = await sendTo((_response, request) => {
      request.socket.resetAndDestroy();
    });
    expect(attempt).toMatchObject({ status: null, error: 'connection_reset' });
  });

  test('tells that the connection was closed before an answer', async () => {
    const { url } = await openRawServer((socket) => socket.once('data', () => socket.end()));
    const attempt = await openSender().send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'connection_reset' });
  });

  test('tells that the connection was closed before the request', async () => {
    const { url } = await openRawServer((socket) => socket.end());
    const attempt = await openSender().send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'connection_reset' });
  });

  test('is not made twice when the connection was new', async () => {
    const { url, connections } = await openRawServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    await openSender().send(aClaimedDelivery({ url }));
    expect(connections).toHaveLength(1);
  });

  test.each<[string, Reply, string]>([
    ['an unknown name', 'NXDOMAIN', 'dns_failed (ENOTFOUND)'],
    ['a name without addresses', [], 'dns_failed (ENODATA)'],
    ['DNS servers that fail', 'SERVFAIL', 'dns_failed (ESERVFAIL)'],
    ['DNS servers that say nothing', 'silence', 'dns_timeout'],
  ])('tells of %s', async (_what, reply, error) => {
    const { sender } = await openSenderWithDns(() => reply);
    const attempt = await sender.send(aClaimedDelivery({ url: 'http://receiver.test/' }));
    expect(attempt).toMatchObject({ status: null, error });
  });
});

test('an attempt at what is no URL is an outcome too', async () => {
  const attempt = await openSender().send(aClaimedDelivery({ url: 'nowhere' }));
  expect(attempt).toMatchObject({ status: null, error: 'unexpected (ERR_INVALID_URL)' });
});

describe('an attempt that takes too long', () => {
  test('ends at its deadline when the receiver takes the request and says nothing', async () => {
    const { attempt, receiver } = await sendTo(() => {}, 500);
    expect(attempt).toMatchObject({ status: null, error: 'timeout', excerpt: '' });
    expect(attempt.duration).toBeGreaterThanOrEqual(495);
    expect(receiver.count).toBe(1);
  });

  test('ends at its deadline when the name takes too long', async () => {
    const { sender } = await openSenderWithDns(() => 'silence', insecureWebhookPolicy, 60);
    const attempt = await sender.send(aClaimedDelivery({ url: 'http://receiver.test/' }));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });

  test('ends at its deadline when the TLS handshake never ends', async () => {
    const { url } = await openRawServer(() => {});
    const secure = url.replace('http:', 'https:');
    const sender = openSender(insecureWebhookPolicy, 60);
    const attempt = await sender.send(aClaimedDelivery({ url: secure }));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });

  test('ends at its deadline when the answer never ends, and keeps what came', async () => {
    const { attempt } = await sendTo((response) => {
      response.writeHead(500);
      response.write('and then');
    }, 500);
    expect(attempt).toMatchObject({ status: 500, error: 'timeout', excerpt: 'and then' });
  });

  test('ends at its deadline when the answer comes a byte at a time', async () => {
    const { url } = await openRawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
        const drip = setInterval(() => socket.write('x'), 5);
        socket.once('close', () => clearInterval(drip));
      });
    });
    const attempt = await openSender(insecureWebhookPolicy, 60).send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });
});

describe('a sender that is closed', () => {
  test('ends the attempts that are under way, and every later one', async () => {
    const receiver = await Receiver.open(() => {});
    const sender = openSender();
    const delivery = aClaimedDelivery({ url: receiver.origin });
    const underWay = sender.send(delivery);
    await receiver.next();
    await sender.close();
    expect(await underWay).toMatchObject({ status: null, error: 'stopped' });
    expect(await sender.send(delivery)).toMatchObject({ status: null, error: 'stopped' });
  });

  test('ends those that are still looking a name up, connecting, or in the midst of a handshake', async () => {
    const { sender } = await openSenderWithDns(() => 'silence');
    const { url } = await openRawServer(() => {});
    const urls = ['http://receiver.test/', url, url.replace('http:', 'https:')];
    const underWay = urls.map((one) => sender.send(aClaimedDelivery({ url: one })));
    await sender.close();
    for (const attempt of await Promise.all(underWay)) {
      expect(attempt).toMatchObject({ status: null, error: 'stopped' });
    }
  });
});
