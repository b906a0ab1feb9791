import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startSeededServer } from '../../helpers/start-seeded-server';

/** So many that a turn of the event loop in which each one gets a rejection takes longer than requests may wait. */
const clients = 2_000;
const handledRequests = 6_000;

// Other systems let a process have fewer connections.
test.runIf(process.platform === 'linux')(
  'a server handles requests and accepts connections while thousands of clients repeat at once what it rejects',
  async () => {
    const { server, seed } = await forTest(startSeededServer(['--rate-limit', '100000000']));
    const { hostname, port } = new URL(server.url);
    const open = () => connect(Number(port), hostname);
    const authorization = `Authorization: Bearer ${seed.accounts[0]?.apiKey}`;
    const request = `GET /v1/account HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`;
    const counts = new Map<string, number>();
    const sockets = new Set<ReturnType<typeof open>>();
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });

    const handled = new Promise<void>((resolve) => {
      for (let client = 0; client < clients; client += 1) {
        const socket = open();
        sockets.add(socket);
        socket.on('connect', () => socket.write(request));
        socket.on('error', () => {});
        socket.on('data', (head) => {
          const status = head.toString('latin1', 9, 12);
          const count = (counts.get(status) ?? 0) + 1;
          counts.set(status, count);
          if (status === '200' && count >= handledRequests) resolve();
          socket.write(request);
        });
      }
    });
    await handled;
    const probe = open();
    sockets.add(probe);
    probe.write('GET /livez?by=a-probe HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [head] = (await once(probe, 'data')) as [Buffer];
    expect(head.toString('latin1', 9, 12)).toBe('200');

    const { 200: succeeded = 0, 503: rejected = 0, ...others } = Object.fromEntries(counts);
    expect(others).toEqual({});
    expect(succeeded).toBeGreaterThanOrEqual(handledRequests);
    // Four for each request, and those of the turns in which none waited.
    expect(rejected / succeeded).toBeLessThan(6);
  },
  60_000,
);
