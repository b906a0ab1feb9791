import { gzipSync } from 'node:zlib';
import type { Attempt } from '@tradepost/domain/deliveries/delivery';
import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { respond } from '../../helpers/receiver';
import { selfSignedCertificate } from '../../helpers/self-signed-certificate';
import { openFlood, openRawResponses, type RawServer } from './raw-server';
import { openSender, sendTo } from './sender-harness';

async function sendToRaw(server: Promise<RawServer>): Promise<Attempt> {
  const { url } = await server;
  return openSender().send(aLeasedDelivery({ url }));
}

describe('the body of a response', () => {
  test('is kept up to 1,000 bytes', async () => {
    const { attempt } = await sendTo(respond(500, {}, `${'x'.repeat(990)}${'y'.repeat(5_000)}`));
    expect(attempt.responseSnippet).toBe(`${'x'.repeat(990)}${'y'.repeat(10)}`);
  });

  test('is kept without NUL characters', async () => {
    const { attempt } = await sendTo(respond(500, {}, 'a\0b'));
    expect(attempt.responseSnippet).toBe('a\uFFFDb');
  });

  test('is not decompressed: of a bomb of 64 MB, the first bytes are kept', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { attempt, receiver } = await sendTo(respond(200, { 'Content-Encoding': 'gzip' }, bomb));
    expect(attempt).toMatchObject({ status: 200, error: null });
    expect(attempt.responseSnippet).toBe(
      bomb.toString('utf8', 0, 1_000).replaceAll('\0', '\uFFFD'),
    );
    expect((await receiver.next()).headers['accept-encoding']).toBeUndefined();
  });

  test.each([
    ['10 MB of known length', { 'Content-Length': String(10 * 1024 * 1024) }],
    ['one without an end', {}],
  ])('is read no further than necessary: %s', async (_what, headers) => {
    const chunk = Buffer.alloc(65_536, 'z');
    let written = 0;
    const { attempt } = await sendTo((response) => {
      response.writeHead(200, headers);
      function pour(): void {
        while (!response.destroyed && written < 160 * chunk.length) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', pour);
            return;
          }
        }
      }
      pour();
    });
    expect(attempt).toMatchObject({ status: 200, error: null, responseSnippet: 'z'.repeat(1_000) });
    expect(written).toBeLessThan(160 * chunk.length);
  });

  test.each([200, 500])(
    'may be truncated: the status %i counts, and the bytes that arrived',
    async (status) => {
      const { attempt } = await sendTo((response) => {
        response.writeHead(status, { 'Content-Length': '100' });
        response.write('the beginn', () => response.socket?.destroy());
      });
      expect(attempt).toMatchObject({
        status,
        error: 'response_truncated',
        responseSnippet: 'the beginn',
      });
    },
  );

  test.each([
    ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\nhalf', 'response_truncated'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf', 'response_truncated'],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n',
      'malformed_response',
    ],
  ])('of %j may be truncated too', async (bytes, error) => {
    expect(await sendToRaw(openRawResponses(bytes, true))).toMatchObject({
      status: 200,
      error,
      responseSnippet: 'half',
    });
  });
});

describe('an unusual but valid response', () => {
  test.each<[string, string, Partial<Attempt>]>([
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nold', { status: 200, responseSnippet: 'old' }],
    ['of 204 with a body', 'HTTP/1.1 204 No\r\n\r\nbody', { status: 204 }],
    ['without a reason', 'HTTP/1.1 204\r\n\r\n', { status: 204 }],
    ['with an unknown status', 'HTTP/1.1 799 Huh\r\n\r\n', { status: 799 }],
    [
      'that says less than it sends',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay',
      { status: 200, responseSnippet: 'ok' },
    ],
    [
      'after interim ones',
      `${'HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n'.repeat(9)}HTTP/1.1 200 OK\r\n\r\n`,
      { status: 200 },
    ],
    [
      'after a 100 Continue that was not requested',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
      { status: 200 },
    ],
  ])('%s is accepted', async (_what, bytes, expected) => {
    const attempt = await sendToRaw(openRawResponses(bytes, true));
    expect(attempt).toMatchObject({ error: null, ...expected });
  });

  test('does not affect the next delivery', async () => {
    const overlong = 'HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    const { url } = await openRawResponses(overlong);
    const sender = openSender();
    for (let count = 0; count < 5; count += 1) {
      expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({
        status: 204,
        error: null,
      });
    }
  });
});

describe('an invalid response', () => {
  const long = 'x'.repeat(200_000);
  test.each([
    ['another protocol', '220 mail.example ESMTP\r\n', 'malformed_response'],
    ['bytes without sense', '\u0000\u0001\u0002\u0003'.repeat(100), 'malformed_response'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'malformed_response',
    ],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'malformed_response',
    ],
    ['headers of 200 kB', `HTTP/1.1 200 OK\r\nX-Long: ${long}\r\n\r\n`, 'response_too_large'],
    [
      'an upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      'malformed_response',
    ],
    ['a switch of protocols without a word', 'HTTP/1.1 101\r\n\r\n', 'malformed_response'],
    ['a status below 100', 'HTTP/1.1 000 X\r\n\r\n', 'malformed_response'],
    ['interim ones without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(40), 'response_too_large'],
    ['nothing but a 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n', 'connection_reset'],
    ['nothing but interim ones', 'HTTP/1.1 102 Processing\r\n\r\n', 'connection_reset'],
  ])('%s', async (_what, bytes, error) => {
    expect(await sendToRaw(openRawResponses(bytes, true))).toMatchObject({ status: null, error });
  });
});

describe('an endless response', () => {
  test.each<[string, string, string, number | null, string]>([
    ['interim responses', '', 'HTTP/1.1 102 Processing\r\n\r\n', null, 'response_too_large'],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'X-More: and more\r\n', null, 'response_too_large'],
    ['one header', 'HTTP/1.1 200 OK\r\nX-Long: ', 'and more', null, 'response_too_large'],
    [
      'what stands between chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;',
      'and-more;',
      200,
      'response_too_large',
    ],
    [
      'trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n',
      'X-More: and more\r\n',
      200,
      'response_too_large',
    ],
  ])('of %s is cut off long before the deadline', async (_what, head, again, status, error) => {
    for (const tls of [undefined, selfSignedCertificate()]) {
      const { url, connections } = await openFlood(head, again, tls);
      const attempt = await openSender().send(aLeasedDelivery({ url }));
      expect(attempt, url).toMatchObject({ status, error });
      expect(connections[0]?.bytesWritten).toBeLessThan(16 * 1024 * 1024);
    }
  });
});
