import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostBin, tradepostServerBin } from '../../helpers/programs';
import { runProcess } from '../../helpers/start-process';
import { temporaryFolder } from '../../helpers/temporary-folder';

const secret = 'hunter2';

/** Runs a program that has a password where none belongs. Returns what it wrote. */
async function runRejected(
  program: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const folder = await forTest(temporaryFolder());
  const { code, stdout, stderr } = await runProcess(process.execPath, [program, ...args], {
    cwd: folder.path,
    env: { ...env, HOME: folder.path },
  });
  expect(code).not.toBe(0);
  // It wrote no file, whose name would show the password.
  expect(readdirSync(join(folder.path)).join()).not.toContain(secret);
  return stdout + stderr;
}

const databases = [
  `postgres//u:${secret}@h/db`,
  `postgres://u:${secret}@h:port/db`,
  `host=h user=u password=${secret}`,
  `postgres://u:${secret} x@h/db`,
  `postgres://u:${secret}%zz@h/db`,
  `postgres://h/db?password=${secret}&x=1`,
  `"postgres://u:${secret}@h/db"`,
  `postgres://u:${secret}@127.0.0.1:1/db`,
];

it.each(databases)('the server does not show the password of the database %s', async (database) => {
  const env = { TRADEPOST_DATABASE: database };
  for (const args of [['start', '--port', '0'], ['migrate'], ['keys', 'list', '--json']]) {
    const output = await runRejected(tradepostServerBin, args, env);
    expect(output).toMatch(/^error: /m);
    expect(output).not.toContain(secret);
  }
  const copy = ['migrate-store', '--from', 'none.db', '--to', database];
  expect(await runRejected(tradepostServerBin, copy)).not.toContain(secret);
});

it('the server rejects what is no URL, and says so', async () => {
  const output = await runRejected(tradepostServerBin, ['start', '--port', '0'], {
    TRADEPOST_DATABASE: `host=h password=${secret}`,
  });
  expect(output).toBe(
    'error: --database (TRADEPOST_DATABASE) is not valid. It is neither the path of a SQLite file nor a URL such as postgres://host:5432/database. Settings such as host=… are not supported: write them as a URL.\n',
  );
});

it.each([
  [['start', `--databases=postgres://u:${secret} x@h/db`], {}],
  [['start', '--cors-origin', `https://u:${secret}@h`], {}],
  [['start', '--cors-origin', `https://a.example, https://u:${secret} x@h`], {}],
  [['start', '--trust-proxy', `u:${secret}@h`], {}],
  [['start', '--port', `postgres://u:${secret}@h`], {}],
  [['start', '--port', '0', '--host', `https://u:${secret}@h`], {}],
  [['start', '--log-level', `password=${secret}`], {}],
  [['start', '--secret-key-file', `tpsk_${secret}${secret}`], {}],
  [[`postgres://u:${secret}@h`], {}],
  [['start'], { OTEL_TRACES_EXPORTER: `https://u:${secret}@h` }],
  [['start'], { PORT: `postgres://u:${secret}@h` }],
  [['start'], { TRADEPOST_TLS_KEY: `u:${secret}@h`, TRADEPOST_TLS_CERT: `//u:${secret}@h` }],
])('the server does not show a password in %j with %j', async (args, env) => {
  expect(await runRejected(tradepostServerBin, args, env)).not.toContain(secret);
});

it.each([
  ['https//', ['orders', 'list'], true],
  ['https://', ['orders', 'list'], true],
  ['http//', ['webhooks', 'listen', '--forward-to', `http//u:${secret}@h`], false],
  ['http://', ['webhooks', 'register', '--url', `http//u:${secret}@h`], false],
] as const)('the CLI does not show a password after %s in %j', async (start, args, isBaseUrl) => {
  const baseUrl = isBaseUrl ? `${start}u:${secret}@h` : 'https://trade.invalid';
  const env = { TRADEPOST_BASE_URL: baseUrl, TRADEPOST_API_KEY: 'tpk_test' };
  expect(await runRejected(tradepostBin, [...args], env)).not.toContain(secret);
});
