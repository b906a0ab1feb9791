import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Tradepost } from '@tradepost/sdk';
import { generate } from 'selfsigned';
import { expect, it, onTestFinished } from 'vitest';
import { checkout } from '../helpers/programs';
import { readResidentMemory } from '../helpers/resident-memory';
import { seedDatabase } from '../helpers/seed';
import { type FaultyReceiver, flood, startFaultyReceiver } from '../helpers/start-faulty-receiver';
import { startPausedReceiver } from '../helpers/start-paused-receiver';
import { type RunningProcess, startProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';

const orders = 20;

/** What the log says of an attempt. */
interface Line {
  webhookId: string;
  status: number | null;
  error: string | null;
  durationMs: number;
}

/** A faulty receiver, and what its faults are called in the log. */
interface Fault {
  what: string;
  receiver: FaultyReceiver;
  status: number | null;
  error: string | null;
}

async function certificate(host: string, expired = false) {
  const altName = host === '127.0.0.1' ? { type: 7, ip: host } : { type: 2, value: host };
  const made = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date('2020-01-01'),
    notAfterDate: new Date(expired ? '2020-01-02' : '2099-01-01'),
    extensions: [{ name: 'subjectAltName', altNames: [altName] }],
  } as Parameters<typeof generate>[1]);
  return { cert: made.cert, key: made.private };
}

/** Every attempt that the server has logged so far. */
function attemptsIn(server: RunningProcess): Line[] {
  const lines = server.stderr().split('\n').slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as Line & { msg: string })
    .filter(({ msg }) => msg === 'attempt');
}

it('takes whatever faulty receivers do for an outcome, and delivers to a healthy one meanwhile', async () => {
  const expired = await certificate('127.0.0.1', true);
  const ofAnother = await certificate('receiver.test');
  const unknown = await certificate('127.0.0.1');
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const secret = await startFaultyReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  onTestFinished(secret.close);

  const faults: Fault[] = [];
  async function fault(
    what: string,
    outcome: [status: number | null, error: string | null],
    ...how: Parameters<typeof startFaultyReceiver>
  ): Promise<void> {
    const receiver = await startFaultyReceiver(...how);
    onTestFinished(receiver.close);
    const [status, error] = outcome;
    faults.push({ what, receiver, status, error });
  }

  await fault('hangs', [null, 'timeout'], () => {});
  await fault('resets', [null, 'connection_reset'], (socket) => socket.resetAndDestroy());
  await fault('drips', [500, 'timeout'], (socket) => {
    socket.write('HTTP/1.1 500 Slow\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 1_000);
    socket.once('close', () => clearInterval(drip));
  });
  await fault('answers 10 MB', [500, null], (socket) => {
    socket.write('HTTP/1.1 500 Long\r\nContent-Length: 10485760\r\n\r\n');
    flood(socket, 'and so on ');
  });
  await fault('answers a bomb', [500, null], (socket) => {
    const head = 'HTTP/1.1 500 Packed\r\nContent-Encoding: gzip\r\n';
    socket.write(`${head}Content-Length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  });
  await fault('redirects to a private address', [302, null], (socket) => {
    const head = `HTTP/1.1 302 Found\r\nLocation: ${secret.url}\r\nContent-Length: 0\r\n\r\n`;
    socket.end(head);
  });
  await fault('closes mid-body', [500, 'response_truncated'], (socket) => {
    socket.end('HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nthe beginn');
  });
  await fault('floods with interim answers', [null, 'response_too_large'], (socket) => {
    flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n');
  });
  await fault('floods with headers', [null, 'response_too_large'], (socket) => {
    socket.write('HTTP/1.1 500 No\r\n');
    flood(socket, 'X-More: and more\r\n');
  });
  await fault('speaks another protocol', [null, 'malformed_response'], (socket) => {
    socket.end('220 mail.example ESMTP\r\n');
  });
  const tlsFailed = (code: string): [null, string] => [null, `tls_failed (${code})`];
  const none = () => {};
  await fault('is not who it says', tlsFailed('DEPTH_ZERO_SELF_SIGNED_CERT'), none, unknown);
  await fault('has expired', tlsFailed('CERT_HAS_EXPIRED'), none, expired);
  await fault('is another host', tlsFailed('ERR_TLS_CERT_ALTNAME_INVALID'), none, ofAnother);

  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const database = join(folder.path, 'tradepost.db');
  const seed = await seedDatabase(database);
  // What the operator trusts: the one certificate is too old, the other is of another host.
  const authorities = join(folder.path, 'authorities.pem');
  await writeFile(authorities, `${expired.cert}\n${ofAnother.cert}\n`);
  const program = ['--import', 'tsx', join('test', 'e2e', 'verifying-server.ts'), database];
  const server = startProcess(process.execPath, program, {
    cwd: checkout,
    env: { NODE_EXTRA_CA_CERTS: authorities },
  });
  onTestFinished(async () => {
    await server.stop();
  });
  const [, baseUrl = ''] = await server.writes(/^listening on (\S+)$/m);
  const buyer = new Tradepost({ baseUrl, apiKey: seed.accounts[0]?.apiKey ?? '' });
  const listingId = seed.listings[0]?.id ?? '';
  const events = ['order.created' as const];

  const healthy = await startPausedReceiver();
  onTestFinished(healthy.close);
  healthy.resume();
  await buyer.webhooks.create({ url: healthy.url, events });
  // One order first: it has everything loaded that an idle server has not.
  await buyer.orders.create({ listingId, quantity: 1 });
  await healthy.until(({ length }) => length === 1);
  const memoryBefore = await readResidentMemory(server.pid ?? 0);

  const ids = new Map<string, string>();
  for (const { what, receiver } of faults) {
    const { id } = await buyer.webhooks.create({ url: receiver.url, events });
    ids.set(what, id);
  }
  for (let count = 0; count < orders; count += 1) {
    await buyer.orders.create({ listingId, quantity: 1 });
  }
  await healthy.until(({ length }) => length === 1 + orders);
  // The slowest of the faulty ones are still at their first attempt.
  expect(attemptsIn(server).filter(({ error }) => error === 'timeout')).toEqual([]);

  for (const { what, status, error } of faults) {
    const id = ids.get(what);
    await server.writes(new RegExp(`"webhookId":"${id}".*"msg":"attempt"`), 'stderr');
    const attempts = attemptsIn(server).filter(({ webhookId }) => webhookId === id);
    expect(attempts[0], what).toMatchObject({ status, error });
    for (const { durationMs } of attempts) expect(durationMs, what).toBeLessThan(16_000);
  }
  expect(secret.connections()).toBe(0);
  const grown = (await readResidentMemory(server.pid ?? 0)) - memoryBefore;
  // One of the bombs, unpacked, would be more.
  expect(grown).toBeLessThan(64 * 1024 * 1024);
}, 60_000);
