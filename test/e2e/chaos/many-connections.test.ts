import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startSeededServer } from '../../helpers/start-seeded-server';

/** More than the 511 that Node lets wait by default. */
const connections = 700;

// Other systems let fewer connections wait, whatever a server requests.
test.runIf(process.platform === 'linux')(
  'connections that are opened while the server cannot accept them wait, and all get responses',
  async () => {
    const { server } = await forTest(startSeededServer());
    const { hostname, port } = new URL(server.url);
    const signal = (name: NodeJS.Signals) => process.kill(Number(server.pid), name);
    signal('SIGSTOP');
    onTestFinished(() => void signal('SIGCONT'));
    const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    // The system completes a connection that fits the backlog, without the server, and drops any other.
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const responses = sockets.map(async (socket) => {
      socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const [head] = (await once(socket, 'data')) as [Buffer];
      return head.toString('latin1').slice(0, 12);
    });
    signal('SIGCONT');
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['HTTP/1.1 200']));
  },
  20_000,
);
