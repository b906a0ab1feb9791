import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { describe, expect, test } from 'vitest';
import { findUnusedPort } from '../../../../../test/helpers/loopback';
import { Receiver } from '../../helpers/receiver';
import type { Reply } from './dns-server';
import { openRawServer } from './raw-server';
import { openSender, openSenderWithDns, sendTo } from './sender-harness';

describe('an attempt without a response', () => {
  test('reports that the connection was refused', async () => {
    const port = await findUnusedPort();
    const attempt = await openSender().send(aLeasedDelivery({ url: `http://127.0.0.1:${port}/` }));
    expect(attempt).toMatchObject({
      status: null,
      error: 'connection_refused',
      responseSnippet: '',
    });
  });

  test('still reports its URL and its headers', async () => {
    const { attempt, delivery } = await sendTo((_response, request) => {
      request.socket.resetAndDestroy();
    });
    expect(attempt).toMatchObject({
      url: delivery.url,
      headers: { 'webhook-id': delivery.eventId, 'Content-Type': 'application/json' },
    });
  });

  test('reports that the connection was reset', async () => {
    const { attempt } = await sendTo((_response, request) => {
      request.socket.resetAndDestroy();
    });
    expect(attempt).toMatchObject({ status: null, error: 'connection_reset' });
  });

  test('reports that the connection was closed before a response', async () => {
    const { url } = await openRawServer((socket) => socket.once('data', () => socket.end()));
    const attempt = await openSender().send(aLeasedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'connection_reset' });
  });

  test('reports that the connection was closed before the request', async () => {
    const { url } = await openRawServer((socket) => socket.end());
    const attempt = await openSender().send(aLeasedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'connection_reset' });
  });

  test('is not repeated when the connection was new', async () => {
    const { url, connections } = await openRawServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    await openSender().send(aLeasedDelivery({ url }));
    expect(connections).toHaveLength(1);
  });

  test.each<[string, Reply, string]>([
    ['an unknown name', 'NXDOMAIN', 'dns_failed (ENOTFOUND)'],
    ['a name without addresses', [], 'dns_failed (ENODATA)'],
    ['DNS servers that fail', 'SERVFAIL', 'dns_failed (ESERVFAIL)'],
    ['DNS servers that say nothing', 'silence', 'dns_timeout'],
  ])('reports %s', async (_what, reply, error) => {
    const { sender } = await openSenderWithDns(() => reply);
    const attempt = await sender.send(aLeasedDelivery({ url: 'http://receiver.test/' }));
    expect(attempt).toMatchObject({ status: null, error });
  });
});

test('an attempt with an invalid URL has a result too', async () => {
  const attempt = await openSender().send(aLeasedDelivery({ url: 'nowhere' }));
  expect(attempt).toMatchObject({ status: null, error: 'unexpected (ERR_INVALID_URL)' });
});

describe('an attempt that takes too long', () => {
  test('ends at its deadline when the receiver accepts the request and does not respond', async () => {
    const { attempt, receiver } = await sendTo(() => {}, 500);
    expect(attempt).toMatchObject({ status: null, error: 'timeout', responseSnippet: '' });
    expect(attempt.durationMs).toBeGreaterThanOrEqual(495);
    expect(receiver.count).toBe(1);
  });

  test('ends at its deadline when the name takes too long', async () => {
    const { sender } = await openSenderWithDns(() => 'silence', insecureWebhookPolicy, 60);
    const attempt = await sender.send(aLeasedDelivery({ url: 'http://receiver.test/' }));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });

  test('ends at its deadline when the TLS handshake never ends', async () => {
    const { url } = await openRawServer(() => {});
    const secure = url.replace('http:', 'https:');
    const sender = openSender(insecureWebhookPolicy, 60);
    const attempt = await sender.send(aLeasedDelivery({ url: secure }));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });

  test('ends at its deadline when the response never ends, and keeps what arrived', async () => {
    const { attempt } = await sendTo((response) => {
      response.writeHead(500);
      response.write('and then');
    }, 500);
    expect(attempt).toMatchObject({ status: 500, error: 'timeout', responseSnippet: 'and then' });
  });

  test('ends at its deadline when the response arrives a byte at a time', async () => {
    const { url } = await openRawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
        const drip = setInterval(() => socket.write('x'), 5);
        socket.once('close', () => clearInterval(drip));
      });
    });
    const attempt = await openSender(insecureWebhookPolicy, 60).send(aLeasedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });
});

describe('a sender that is closed', () => {
  test('interrupts the attempts in flight, and rejects later ones', async () => {
    const receiver = await Receiver.open(() => {});
    const sender = openSender();
    const delivery = aLeasedDelivery({ url: receiver.origin });
    const underWay = sender.send(delivery);
    await receiver.next();
    await sender.close();
    expect(await underWay).toMatchObject({ status: null, error: 'server_shutdown' });
    expect(await sender.send(delivery)).toMatchObject({ status: null, error: 'server_shutdown' });
  });

  test('ends attempts during a DNS lookup, a connection attempt or a handshake', async () => {
    const { sender } = await openSenderWithDns(() => 'silence');
    const { url } = await openRawServer(() => {});
    const urls = ['http://receiver.test/', url, url.replace('http:', 'https:')];
    const underWay = urls.map((one) => sender.send(aLeasedDelivery({ url: one })));
    await sender.close();
    for (const attempt of await Promise.all(underWay)) {
      expect(attempt).toMatchObject({ status: null, error: 'server_shutdown' });
    }
  });
});
