import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { startHttpServer } from '../../../../test/helpers/loopback';
import { aProblem, BareService } from '../helpers/minimal-service';
import { loginFolder } from '../helpers/profile-folder';
import { runCli } from '../helpers/run-cli';

const key = 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const env = { TRADEPOST_API_KEY: key };

function recordFile(): string {
  return join(loginFolder().path, 'record.ndjson');
}

function entriesOf(file: string): Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A server that does with each connection what the test says. */
async function startServer(reply: RequestListener): Promise<string> {
  const server = await startHttpServer(reply);
  onTestFinished(() => server.close());
  return server.url;
}

describe('the debug log', () => {
  it('has the command line, each request, each response, and the exit code', async () => {
    const service = await BareService.start();
    service.orders = [anOrder()];
    const file = recordFile();
    const argv = ['orders', 'set-status', anOrder().id, 'confirmed', '--debug', file];
    const result = await service.cli(argv, { env, now: () => Date.parse('2026-11-21T10:00:00Z') });
    expect(result.exitCode).toBe(0);
    const [command, ...entries] = entriesOf(file);
    expect(command).toMatchObject({ kind: 'command', argv, at: '2026-11-21T10:00:00.000Z' });
    expect(entries.map(({ kind }) => kind)).toEqual([
      ...service.seen.flatMap(() => ['request', 'response']),
      'end',
    ]);
    expect(entries.find(({ method }) => method === 'PATCH')).toMatchObject({
      url: `${service.baseUrl}/v1/orders/${anOrder().id}`,
      headers: { authorization: '[redacted]' },
      body: { status: 'confirmed' },
    });
    expect(entries.at(-2)).toMatchObject({
      request: service.seen.length,
      status: 200,
      durationMs: 0,
      body: { data: { status: 'confirmed' } },
    });
    expect(entries.at(-1)).toMatchObject({ exitCode: 0, durationMs: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('never has the key or a secret, whatever the command is and the service sends', async () => {
    const service = await BareService.start();
    const quoted = { title: key, detail: `${key} ${secret}`, [key]: secret, apiKey: 'plain' };
    const events = ['--url', 'https://a.example', '--events', 'order.created'];
    const commands = [
      ['webhooks', 'register', ...events],
      ['orders', 'list'],
      ['whoami'],
      ['doctor'],
      ['orders', 'get', `ord_${secret}`],
      ['webhooks', 'register', '--url', `https://a.example/${key}`, ...events.slice(2)],
    ];
    const replies = [
      undefined,
      {
        status: 201,
        body: { data: { id: 'whk_1', secret: 'no-prefix', signingSecrets: ['plain'] } },
      },
      aProblem(422, key, quoted),
      {
        status: 500,
        body: `{"secret": "plain\\"plain", "x": "${key}`,
        headers: { 'retry-after': '0' },
      },
      { status: 200, body: 'x'.repeat(99_990) + key, headers: { 'set-cookie': 'plain=plain' } },
    ];
    for (const reply of replies) {
      service.instead = () => reply;
      for (const command of commands) {
        const file = recordFile();
        await service.cli([...command, '--debug', file], { env });
        const record = readFileSync(file, 'utf8');
        expect(record).toContain('"kind":"end"');
        expect(record).not.toContain(key);
        expect(record).not.toMatch(/tpk_\w|whsec_\w|no-prefix|plain/);
        expect(record).not.toContain('Bearer');
      }
    }
  });

  it('has the names of the headers of a webhook, and not their values', async () => {
    const service = await BareService.start();
    const file = recordFile();
    const headers = join(loginFolder().path, 'headers');
    writeFileSync(headers, 'X-Env: staging-5\nX-Receiver: plain-7\n');
    const argv = ['webhooks', 'update', 'whk_1', '--headers-file', headers, '--debug', file];
    await service.cli(argv, { env });
    expect(service.seen[0]?.body).toEqual({
      headers: { 'X-Env': 'staging-5', 'X-Receiver': 'plain-7' },
    });
    expect(entriesOf(file)[1]).toMatchObject({
      body: { headers: { 'X-Env': '[redacted]', 'X-Receiver': '[redacted]' } },
    });
    expect(readFileSync(file, 'utf8')).not.toMatch(/staging-5|plain-7/);
  });

  it('has neither the key of a profile nor one that was rejected', async () => {
    const service = await BareService.start();
    const { env: logins, path } = loginFolder({ one: { baseUrl: service.baseUrl, apiKey: key } });
    const file = join(path, 'record.ndjson');
    await runCli(['orders', 'list', '--profile', 'one', '--debug', file], { env: logins });
    expect(readFileSync(file, 'utf8')).not.toContain('tpk_3');
    service.instead = () => aProblem(401, 'invalid_api_key', { detail: `no such key: secretkey` });
    const login = ['login', '--key-stdin', '--base-url', service.baseUrl, '--debug', file];
    expect((await runCli(login, { env: logins, input: 'secretkey' })).exitCode).toBe(4);
    const [, ...entries] = entriesOf(file);
    expect(JSON.stringify(entries.filter(({ kind }) => kind !== 'end'))).not.toContain('secretkey');
  });

  it('records how a command failed, with its causes', async () => {
    const baseUrl = await startServer((request) => request.socket.destroy());
    const file = recordFile();
    const argv = ['whoami', '--base-url', baseUrl, '--debug', file];
    expect((await runCli(argv, { env })).exitCode).toBe(9);
    const entries = entriesOf(file);
    expect(entries.filter(({ kind }) => kind === 'failure').length).toBeGreaterThan(1);
    expect(entries.find(({ kind }) => kind === 'failure')).toMatchObject({
      request: 1,
      error: 'socket hang up',
    });
    expect(entries.at(-1)).toMatchObject({
      kind: 'end',
      exitCode: 9,
      error: { code: 'connection_failed', reason: expect.stringMatching(/: socket hang up$/) },
    });
  });

  it('is added to an earlier one, which then only its owner can read', async () => {
    const file = recordFile();
    await runCli(['orders', 'list', '--limit', '77', '--debug', file], { env });
    chmodSync(file, 0o644);
    await runCli(['orders', 'list', '--debug', file], { env });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('"77"');
    expect(entriesOf(file).map(({ kind }) => kind)).toEqual(['command', 'end', 'command', 'end']);
  });

  it.each(['whsec_c2VjcmV0\n', '{"kind":"set-status","version":1}\n', '{"at":"2026'])(
    'leaves a file of something else as it is: %j',
    async (content) => {
      const service = await BareService.start();
      const file = recordFile();
      writeFileSync(file, content);
      const result = await service.cli(['orders', 'list', '--debug', file], { env });
      expect(result).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain(`${file} exists and is not a debug log`);
      expect(readFileSync(file, 'utf8')).toBe(content);
      expect(service.seen).toEqual([]);
    },
  );

  it.each(
    [
      ['--header', 'Authorization: Bearer sk-live-ABCDEFGHIJ'],
      ['--header', 'X-Api-Key: sk-live-ABCDEFGHIJ'],
      ['--header=Cookie: a=sk-live-ABCDEFGHIJ'],
      ['--header', 'x: Bearer sk-live-ABCDEFGHIJ'],
      ['--base-url', 'https://me:sk-live-ABCDEFGHIJ@trade.example'],
      ['--base-url', 'https://trade.example/?a=b&token=sk-live-ABCDEFGHIJ&c=d'],
    ].map((more) => ({ more, name: more.join(' ') })),
  )('has no secret from the arguments: $name', async ({ more }) => {
    const file = recordFile();
    const argv = ['webhooks', 'verify', '--secret-file', '/nonexistent', ...more];
    await runCli([...argv, '--debug', file], { env });
    expect(readFileSync(file, 'utf8')).toMatch(/\[redacted\]|\/\/…@/);
    expect(readFileSync(file, 'utf8')).not.toContain('sk-live');
  });

  it('is created before the settings are read', async () => {
    const file = recordFile();
    expect((await runCli(['orders', 'list', '--debug', file], { env })).exitCode).toBe(2);
    expect(entriesOf(file).map(({ kind }) => kind)).toEqual(['command', 'end']);
    expect(entriesOf(file).at(-1)).toMatchObject({ exitCode: 2, error: { code: 'usage' } });
  });

  it('has a body that is not text, and a truncated one', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x1b]);
    const binary = await startServer((_, response) => response.end(bytes));
    const broken = await startServer((_, response) => {
      response.writeHead(200, { 'content-length': '100', 'x-request-id': 'req_7' });
      response.write('{"data":', () => response.destroy());
    });
    for (const baseUrl of [binary, broken]) {
      const file = recordFile();
      const argv = ['doctor', '--base-url', baseUrl];
      const setting = { env, now: () => Date.now() - (Date.now() % 3_600_000) };
      const withRecord = await runCli([...argv, '--debug', file], setting);
      const without = await runCli(argv, setting);
      expect(withRecord).toEqual(without);
      expect(entriesOf(file).at(-1)).toMatchObject({ kind: 'end', exitCode: without.exitCode });
      if (baseUrl !== broken) continue;
      expect(entriesOf(file).find(({ kind }) => kind === 'failure')).toMatchObject({
        status: 200,
        requestId: 'req_7',
      });
    }
  });

  it('is rejected before anything is sent when its file cannot be created', async () => {
    const service = await BareService.start();
    const file = join(recordFile(), 'no', 'such', 'folder');
    const result = await service.cli(['orders', 'list', '--debug', file], { env });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error: Cannot write the debug log.*\nhint: Nothing/);
    expect(service.seen).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'lets a command go on when the disk is full, and says so once',
    async () => {
      const service = await BareService.start();
      service.orders = [anOrder()];
      const argv = ['orders', 'list', '--output', 'ndjson'];
      const result = await service.cli([...argv, '--debug', '/dev/full'], { env });
      expect(result).toMatchObject({ exitCode: 0, stdout: (await service.cli(argv)).stdout });
      expect(result.stderr).toMatch(/^The debug log is incomplete: no space left on device\.\n$/);
    },
  );
});
