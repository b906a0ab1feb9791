import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startSeededServer } from '../../helpers/start-seeded-server';

const limit = 60;

it.each([
  [59, 59],
  [60, 60],
  [61, 60],
  [90, 60],
])('of %i requests at once with an unused key, %i succeed', async (count, succeeding) => {
  const { server, buyer } = await forTest(startSeededServer(['--rate-limit', String(limit)]));
  const { hostname, port } = new URL(server.url);
  const request = `GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${buyer.apiKey}\r\n\r\n`;
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      onTestFinished(() => {
        socket.destroy();
      });
      // The response to the probe shows that the server has accepted the connection.
      socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
      return socket;
    }),
  );
  const responses = sockets.map(async (socket) => String((await once(socket, 'data'))[0]));
  for (const socket of sockets) socket.write(request);
  const texts = await Promise.all(responses);
  const succeeded = texts.filter((text) => text.startsWith('HTTP/1.1 200 '));
  expect(succeeded).toHaveLength(succeeding);
  expect(texts.filter((text) => text.startsWith('HTTP/1.1 429 '))).toHaveLength(count - succeeding);
  const remaining = succeeded.map((text) =>
    Number(/^RateLimit: "requests"; r=(\d+)/im.exec(text)?.[1]),
  );
  expect(remaining.sort((one, other) => other - one)).toEqual(
    succeeded.map((_, index) => limit - 1 - index),
  );
});
