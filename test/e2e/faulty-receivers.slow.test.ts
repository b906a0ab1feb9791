import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Tradepost } from '@tradepost/sdk';
import { generate } from 'selfsigned';
import { expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { checkout } from '../helpers/programs';
import { registerWebhook } from '../helpers/register-webhook';
import { readResidentMemory } from '../helpers/resident-memory';
import { seedDatabase } from '../helpers/seed';
import { type FaultyReceiver, flood, startFaultyReceiver } from '../helpers/start-faulty-receiver';
import { type RunningProcess, startProcess } from '../helpers/start-process';
import { startHttpReceiver } from '../helpers/start-receiver';
import { temporaryFolder } from '../helpers/temporary-folder';

const orders = 20;

/** An attempt in the log. */
interface AttemptLog {
  webhookId: string;
  status: number | null;
  error: string | null;
  durationMs: number;
}

/** A faulty receiver, and the status and error that the log shows for it. */
interface Fault {
  name: string;
  receiver: FaultyReceiver;
  status: number | null;
  error: string | null;
}

async function createCertificate(host: string, expired = false) {
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

/** Reads the attempts that the server has logged so far. */
function readAttempts(server: RunningProcess): AttemptLog[] {
  const lines = server.stderr().split('\n').slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as AttemptLog & { msg: string })
    .filter(({ msg }) => msg === 'attempt');
}

it('the server records an outcome for every faulty receiver, and delivers to a healthy one meanwhile', async () => {
  const expired = await createCertificate('127.0.0.1', true);
  const otherHost = await createCertificate('receiver.test');
  const unknown = await createCertificate('127.0.0.1');
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const secret = await forTest(
    startFaultyReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')),
  );

  const faults: Fault[] = [];
  async function addFault(
    name: string,
    outcome: [status: number | null, error: string | null],
    ...options: Parameters<typeof startFaultyReceiver>
  ): Promise<void> {
    const receiver = await forTest(startFaultyReceiver(...options));
    const [status, error] = outcome;
    faults.push({ name, receiver, status, error });
  }

  await addFault('hangs', [null, 'timeout'], () => {});
  await addFault('resets', [null, 'connection_reset'], (socket) => socket.resetAndDestroy());
  await addFault('drips', [500, 'timeout'], (socket) => {
    socket.write('HTTP/1.1 500 Slow\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 1_000);
    socket.once('close', () => clearInterval(drip));
  });
  await addFault('sends 10 MB', [500, null], (socket) => {
    socket.write('HTTP/1.1 500 Long\r\nContent-Length: 10485760\r\n\r\n');
    flood(socket, 'and so on ');
  });
  await addFault('sends a compression bomb', [500, null], (socket) => {
    const head = 'HTTP/1.1 500 Packed\r\nContent-Encoding: gzip\r\n';
    socket.write(`${head}Content-Length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  });
  await addFault('redirects to a private address', [302, null], (socket) => {
    const head = `HTTP/1.1 302 Found\r\nLocation: ${secret.url}\r\nContent-Length: 0\r\n\r\n`;
    socket.end(head);
  });
  await addFault('closes mid-body', [500, 'response_truncated'], (socket) => {
    socket.end('HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nthe beginn');
  });
  await addFault('floods with interim responses', [null, 'response_too_large'], (socket) => {
    flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n');
  });
  await addFault('floods with headers', [null, 'response_too_large'], (socket) => {
    socket.write('HTTP/1.1 500 No\r\n');
    flood(socket, 'X-More: and more\r\n');
  });
  await addFault('speaks another protocol', [null, 'malformed_response'], (socket) => {
    socket.end('220 mail.example ESMTP\r\n');
  });
  const tlsFailed = (code: string): [null, string] => [null, `tls_failed (${code})`];
  const none = () => {};
  await addFault(
    'has an unknown certificate',
    tlsFailed('DEPTH_ZERO_SELF_SIGNED_CERT'),
    none,
    unknown,
  );
  await addFault('has an expired certificate', tlsFailed('CERT_HAS_EXPIRED'), none, expired);
  await addFault(
    'has the certificate of another host',
    tlsFailed('ERR_TLS_CERT_ALTNAME_INVALID'),
    none,
    otherHost,
  );

  const folder = await forTest(temporaryFolder());
  const database = join(folder.path, 'tradepost.db');
  const seed = await seedDatabase(database);
  // The operator trusts these: one certificate is expired, the other is of another host.
  const authorities = join(folder.path, 'authorities.pem');
  await writeFile(authorities, `${expired.cert}\n${otherHost.cert}\n`);
  const program = ['--import', 'tsx', join('test', 'e2e', 'verifying-server.ts'), database];
  const server = forTest(
    startProcess(process.execPath, program, {
      cwd: checkout,
      env: { NODE_EXTRA_CA_CERTS: authorities },
    }),
  );
  const [, baseUrl = ''] = await server.writes(/^listening on (\S+)$/m);
  const buyer = new Tradepost({ baseUrl, apiKey: seed.accounts[0]?.apiKey ?? '' });
  const listingId = seed.listings[0]?.id ?? '';
  const events = ['order.created' as const];

  const healthy = await forTest(startHttpReceiver());
  await buyer.webhooks.create({ url: healthy.url, events });
  // One order first, to load what an idle server has not loaded.
  await buyer.orders.create({ listingId, quantity: 1 });
  await healthy.until(({ length }) => length === 1);
  const memoryBefore = await readResidentMemory(server.pid ?? 0);

  const ids = new Map<string, string>();
  for (const { name, receiver } of faults) {
    const { id } = await registerWebhook(buyer, { url: receiver.url, events });
    ids.set(name, id);
  }
  for (let count = 0; count < orders; count += 1) {
    await buyer.orders.create({ listingId, quantity: 1 });
  }
  await healthy.until(({ length }) => length === 1 + orders);
  // The slowest faulty receivers are still at their first attempt.
  expect(readAttempts(server).filter(({ error }) => error === 'timeout')).toEqual([]);

  for (const { name, status, error } of faults) {
    const id = ids.get(name);
    await server.writes(new RegExp(`"webhookId":"${id}".*"msg":"attempt"`), 'stderr');
    const attempts = readAttempts(server).filter(({ webhookId }) => webhookId === id);
    expect(attempts[0], name).toMatchObject({ status, error });
    for (const { durationMs } of attempts) expect(durationMs, name).toBeLessThan(16_000);
  }
  expect(secret.connections()).toBe(0);
  const grown = (await readResidentMemory(server.pid ?? 0)) - memoryBefore;
  // A single unpacked bomb would be more.
  expect(grown).toBeLessThan(64 * 1024 * 1024);
}, 60_000);
