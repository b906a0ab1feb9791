import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { readCpuSeconds } from '../../helpers/process-usage';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** The heap that Node gives a process in a container of a gibibyte, in megabytes. */
const heapMb = 512;
const gibibyte = 1024 ** 3;

/** A request without a key, and with as many bytes as possible before the handler. */
const request = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;

async function start(args: readonly string[] = []): Promise<SeededServer> {
  return await forTest(
    startSeededServer(args, {
      env: { NODE_OPTIONS: `--max-old-space-size=${heapMb}` },
    }),
  );
}

/** Opens connections, and when all are open sends the same bytes on each. */
async function flood(port: number, connections: number, bytes: string, tls = false): Promise<void> {
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const opened = Array.from({ length: connections }, () => {
    const socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connectTcp(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {}).resume();
    return new Promise((resolve, reject) => {
      socket.once(tls ? 'secureConnect' : 'connect', resolve).once('error', reject);
    });
  });
  await Promise.all(opened);
  for (const socket of sockets) socket.write(bytes);
}

/** Returns the most memory that a process has had, in bytes. Linux only. */
function readPeakMemory(pid = 0): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Sends a probe, and returns how much processor time the server used until its response, in milliseconds. */
async function probe({ server }: SeededServer, path: '/livez' | '/readyz'): Promise<number> {
  const before = readCpuSeconds(server.pid ?? 0);
  const { status } = await fetch(server.url + path);
  expect(status).toBe(200);
  return (readCpuSeconds(server.pid ?? 0) - before) * 1_000;
}

const portOf = ({ server }: SeededServer) => Number(new URL(server.url).port);

// Both are measured in /proc. Other systems also let a process have fewer connections.
describe.runIf(process.platform === 'linux')('a server of one gibibyte', () => {
  it.each([
    ['requests', 1_500, request('/v1/orders').repeat(250)],
    ['the shortest requests', 1_500, 'GET / HTTP/1.1\r\n\r\n'.repeat(3_500)],
    ['requests with many headers', 9_000, request('/v1/orders', 'a:1\r\n'.repeat(1_900))],
    ['requests with long headers', 4_000, request('/v1/orders', `a: ${'x'.repeat(15_000)}\r\n`)],
    ['heads without an end', 4_000, `GET / HTTP/1.1\r\n${'a:1\r\n'.repeat(1_900)}`],
  ])(
    'survives %s on thousands of connections',
    async (_what, connections, bytes) => {
      const seeded = await start();
      await flood(portOf(seeded), connections, bytes);
      await probe(seeded, '/livez');
      await probe(seeded, '/readyz');
      expect(readPeakMemory(seeded.server.pid)).toBeLessThan(gibibyte);
      expect(await seeded.server.stop('SIGTERM')).toMatchObject({ code: 0 });
    },
    120_000,
  );

  it('survives pipelined requests over TLS', async () => {
    const folder = await forTest(temporaryFolder());
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
    const files = { key: join(folder.path, 'key.pem'), cert: join(folder.path, 'cert.pem') };
    await writeFile(files.key, key, { mode: 0o600 });
    await writeFile(files.cert, cert);
    const seeded = await start(['--tls-cert', files.cert, '--tls-key', files.key]);
    await flood(portOf(seeded), 500, request('/v1/orders').repeat(2_000), true);
    await seeded.server.writes(/connections closed: too many requests/, 'stderr');
    expect(readPeakMemory(seeded.server.pid)).toBeLessThan(gibibyte);
    expect(await seeded.server.stop('SIGTERM')).toMatchObject({ code: 0 });
  }, 120_000);
});

/** A supervisor waits for a second, three times; as processor time, since this machine may be busy. In milliseconds. */
const maxProbeCpuMs = 3_000;

describe.runIf(process.platform === 'linux')('a probe of the API gets its response', () => {
  it.each([
    ['/livez', 500, 250],
    ['/readyz', 500, 250],
    ['/livez', 4_000, 1],
    ['/readyz', 4_000, 1],
  ] as const)(
    'during a flood of %s on %i connections, %i on each',
    async (path, connections, times) => {
      const seeded = await start();
      await flood(portOf(seeded), connections, request(path).repeat(times));
      expect(await probe(seeded, '/livez')).toBeLessThan(maxProbeCpuMs);
      expect(await probe(seeded, '/readyz')).toBeLessThan(maxProbeCpuMs);
    },
    120_000,
  );

  it('during a flood of scrapes, and the server stops afterwards', async () => {
    const seeded = await start(['--metrics-port', '0']);
    const [, port] = await seeded.server.writes(/^metrics on http:\/\/127\.0\.0\.1:(\d+)\//m);
    await flood(Number(port), 5, request('/metrics').repeat(1_000));
    expect(await probe(seeded, '/livez')).toBeLessThan(maxProbeCpuMs);
    const { pid = 0 } = seeded.server;
    const before = readCpuSeconds(pid);
    const stopped = seeded.server.stop('SIGTERM');
    // The rest of the flood is not handled: the server stops at once, or within what a probe may take.
    await seeded.server.writes(/"msg":"the server is stopping"/, 'stderr');
    expect((readCpuSeconds(pid) - before) * 1_000).toBeLessThan(maxProbeCpuMs);
    expect(await stopped).toMatchObject({ code: 0 });
  }, 120_000);
});
