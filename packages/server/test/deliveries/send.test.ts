import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { signBody, signStandard } from '../../src/deliveries/sign';
import { version } from '../../src/version';
import { aClaimedDelivery, noon } from '../builders';
import { answer, inTurn, Receiver } from '../receiver';
import { openSender, sendTo } from './sender-rig';

describe('an attempt', () => {
  test('posts the bytes of the event, signed, to the whole URL', async () => {
    const receiver = await Receiver.open(answer(200, {}, 'thanks'));
    const body = '{"event":"order.created","data":{"name":"Café — 港 🚢"}}';
    const delivery = aClaimedDelivery({ url: `${receiver.origin}/a/b?c=d&e=%20`, body });
    const attempt = await openSender().send(delivery);
    const { headers, ...received } = await receiver.next();
    expect(received).toEqual({ method: 'POST', path: '/a/b?c=d&e=%20', body: Buffer.from(body) });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': `Tradepost/${version}`,
      'service-signature': signBody(delivery.secret, body),
      'webhook-id': delivery.eventId,
      'webhook-timestamp': String(noon / 1_000),
      'webhook-signature': signStandard(delivery.secret, delivery.eventId, noon / 1_000, body),
    });
    expect(attempt).toEqual({
      startedAt: noon,
      duration: expect.any(Number),
      status: 200,
      error: null,
      excerpt: 'thanks',
      retryAfter: null,
    });
    expect(attempt.duration).toBeGreaterThanOrEqual(0);
  });

  test.each([200, 201, 202, 204, 299, 304, 400, 404, 410, 500, 503])(
    'tells a status of %i as it is',
    async (status) => {
      const { attempt } = await sendTo(answer(status));
      expect(attempt).toMatchObject({ status, error: null });
    },
  );

  test.each([301, 302, 303, 307, 308])('does not follow a redirect of %i', async (status) => {
    const elsewhere = await Receiver.open(answer(200));
    const { attempt } = await sendTo(answer(status, { Location: `${elsewhere.origin}/` }));
    expect(attempt).toMatchObject({ status, error: null });
    expect(elsewhere.count).toBe(0);
  });

  test('keeps the first 1,000 bytes of the answer', async () => {
    const { attempt } = await sendTo(answer(500, {}, `${'x'.repeat(990)}${'y'.repeat(5_000)}`));
    expect(attempt.excerpt).toBe(`${'x'.repeat(990)}${'y'.repeat(10)}`);
  });

  test('keeps an answer as it came over the wire, without unpacking it', async () => {
    const packed = gzipSync('x'.repeat(100_000));
    const { attempt } = await sendTo(answer(200, { 'Content-Encoding': 'gzip' }, packed));
    expect(attempt.status).toBe(200);
    expect(attempt.excerpt).not.toContain('xxx');
  });

  test('stops to read an answer that goes on and on, and takes its status', async () => {
    const chunk = Buffer.alloc(65_536, 'z');
    let written = 0;
    const { attempt } = await sendTo((response) => {
      response.writeHead(200);
      function pour(): void {
        while (!response.destroyed && written < 512 * chunk.length) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', pour);
            return;
          }
        }
      }
      pour();
    });
    expect(attempt).toMatchObject({ status: 200, error: null, excerpt: 'z'.repeat(1_000) });
    expect(written).toBeLessThan(512 * chunk.length);
  });

  test('goes on with the next delivery after an answer that was cut short', async () => {
    const receiver = await Receiver.open(
      inTurn(answer(500, {}, Buffer.alloc(200_000)), answer(200)),
    );
    const sender = openSender();
    const delivery = aClaimedDelivery({ url: receiver.origin });
    expect(await sender.send(delivery)).toMatchObject({ status: 500 });
    expect(await sender.send(delivery)).toMatchObject({ status: 200 });
  });

  test('uses its connections again', async () => {
    const ports = new Set<number | undefined>();
    const receiver = await Receiver.open((response, request) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    const sender = openSender();
    for (let count = 0; count < 20; count += 1) {
      await sender.send(aClaimedDelivery({ url: receiver.origin }));
    }
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

describe('an answer that breaks off after its status', () => {
  test.each([200, 500])(
    'keeps the status %i, which alone decides, and what came',
    async (status) => {
      const { attempt } = await sendTo((response) => {
        response.writeHead(status, { 'Content-Length': '100' });
        response.write('the beginn', () => response.socket?.destroy());
      });
      expect(attempt).toMatchObject({ status, error: 'connection_reset', excerpt: 'the beginn' });
    },
  );

  test('has no NUL in its excerpt', async () => {
    const { attempt } = await sendTo(answer(500, {}, 'a\0b'));
    expect(attempt.excerpt).toBe('a\uFFFDb');
  });
});

describe('Retry-After', () => {
  test.each([429, 503])('of a %i is kept, in milliseconds', async (status) => {
    const { attempt } = await sendTo(answer(status, { 'Retry-After': '120' }));
    expect(attempt.retryAfter).toBe(120_000);
  });

  test('may be a date, which is held against the clock', async () => {
    const at = new Date(noon + 30_000).toUTCString();
    const { attempt } = await sendTo(answer(503, { 'Retry-After': at }));
    expect(attempt.retryAfter).toBe(30_000);
  });

  test.each([200, 301, 404, 500])('of a %i is left aside', async (status) => {
    const { attempt } = await sendTo(answer(status, { 'Retry-After': '120' }));
    expect(attempt.retryAfter).toBeNull();
  });

  test('that makes no sense is left aside', async () => {
    const { attempt } = await sendTo(answer(503, { 'Retry-After': 'in a while' }));
    expect(attempt.retryAfter).toBeNull();
  });
});
