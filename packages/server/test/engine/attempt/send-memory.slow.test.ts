import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Child } from '../../helpers/child';
import { Receiver, respond } from '../../helpers/receiver';
import { openFlood, openRawResponses, openRawServer } from './raw-server';

const rounds = 200;

test('thousands of attempts to hostile receivers leak neither memory nor sockets', async () => {
  const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024));
  const receivers: [string, string | null][] = [
    [(await Receiver.open(respond(200, {}, 'ok'))).origin, null],
    [(await Receiver.open(respond(302, { Location: 'http://10.0.0.1/' }))).origin, null],
    [(await Receiver.open(respond(200, { 'Content-Encoding': 'gzip' }, bomb))).origin, null],
    [(await Receiver.open(respond(200, {}, Buffer.alloc(10 * 1024 * 1024)))).origin, null],
    [(await openRawServer((socket) => socket.resetAndDestroy())).url, 'connection_reset'],
    [
      (await openRawServer((socket) => socket.once('data', () => socket.end()))).url,
      'connection_reset',
    ],
    [(await openRawServer(() => {})).url, 'timeout'],
    [(await openRawServer(() => {})).url.replace('http:', 'https:'), 'timeout'],
    [(await openRawResponses('220 mail.example ESMTP\r\n', true)).url, 'malformed_response'],
    [
      (await openRawResponses('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', true)).url,
      'response_truncated',
    ],
    [(await openRawResponses('HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nhalf')).url, 'timeout'],
    [(await openFlood('', 'HTTP/1.1 102 Processing\r\n\r\n')).url, 'response_too_large'],
    [(await openFlood('HTTP/1.1 200 OK\r\n', 'X-More: and more\r\n')).url, 'response_too_large'],
    ['http://127.0.0.1:1/', 'connection_refused'],
    ['http://no-such-host.invalid/', 'dns_failed'],
  ];
  const script = new URL('./send-many-process.ts', import.meta.url);
  const child = new Child(script, String(rounds), ...receivers.map(([url]) => url));
  const result = JSON.parse(await child.readLine()) as {
    grown: number;
    sockets: number;
    errors: (string | null)[][];
  };
  for (const [index, [url, error]] of receivers.entries()) {
    // On a busy machine, any attempt may time out.
    const names = result.errors[index]?.filter((name) => name !== 'timeout') ?? [];
    for (const name of names) expect(String(name).replace(/ .*/, ''), url).toBe(String(error));
  }
  expect(result.sockets).toBe(0);
  // A connection or response left behind by each of the 3,000 attempts would be ten times as much.
  expect(result.grown).toBeLessThan(5_000_000);
}, 120_000);
