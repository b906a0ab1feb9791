import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { findUnusedPort, startHttpServer } from '../../../../../test/helpers/loopback';
import { brokenStream } from '../../helpers/fake-stream';
import { BareService, type StubResponse } from '../../helpers/minimal-service';
import { loginFolder } from '../../helpers/profile-folder';
import { runCli } from '../../helpers/run-cli';
import { aDelivery, aWebhook } from '../../helpers/webhook-builders';

const id = 'whk_1';
const order = ['--listing', 'lst_1', '--quantity', '5'];
const registration = ['--url', 'https://a.example', '--events', 'order.created'];

/** Commands that change something, with what they say of it. */
const changes: [string[], string][] = [
  [['orders', 'create', ...order], 'rder ord_1 is created'],
  [['webhooks', 'update', id, '--url', 'https://a.example'], `${id} is changed`],
  [['webhooks', 'pause', id], `${id} is paused`],
  [['webhooks', 'resume', id], `${id} is resumed`],
  [['webhooks', 'delete', id, '--yes'], `${id} is deleted`],
  [['webhooks', 'test', id, '--event', 'order.created'], `a test event is sent to ${id}`],
  [['webhooks', 'rotate-secret', id, '--promote', '--yes'], `the staged secret of ${id} is now`],
];

/** A service that does what it is asked. */
async function willing(): Promise<BareService> {
  const service = await BareService.start();
  service.instead = ({ method, path }): StubResponse | undefined => {
    if (method === 'DELETE') return { status: 204, body: undefined };
    if (path === '/v1/orders') return { status: 201, body: { data: anOrder({ id: 'ord_1' }) } };
    if (path.endsWith('/test')) return { status: 202, body: { data: aDelivery() } };
    if (path === '/v1/webhooks') return undefined;
    // A webhook that is not paused is not resumed.
    const status = method === 'GET' ? 'paused' : 'active';
    return { status: 200, body: { data: aWebhook({ id, status }) } };
  };
  return service;
}

describe.each(changes)('%j that cannot be printed', (argv, what) => {
  it('reports that the change was made, whatever failed in printing it', async () => {
    const service = await willing();
    for (const [more, stdout] of [
      [[], brokenStream('ENOSPC')],
      [['--jq', 'error("no")'], undefined],
    ] as const) {
      const setting = stdout === undefined ? {} : { stdout };
      const { exitCode, stderr } = await service.cli([...argv, ...more], setting);
      expect(exitCode).toBe(1);
      expect(stderr.toLowerCase()).toContain(what.toLowerCase());
      expect(stderr).toContain(', but the result could not be printed: ');
      expect(stderr).toContain('Do not repeat it');
    }
  });

  it('is not a failure when no one reads the output', async () => {
    const service = await willing();
    const { exitCode, stderr } = await service.cli(argv, { stdout: brokenStream('EPIPE') });
    expect(exitCode).toBe(0);
    expect(stderr.toLowerCase()).toContain(what.toLowerCase());
  });
});

it('a profile that cannot be printed is still stored, selected and removed', async () => {
  const service = await BareService.start();
  const folder = loginFolder();
  const setting = { env: folder.env, stdout: brokenStream('ENOSPC') };
  for (const [argv, what] of [
    [['login', '--key-stdin', '--base-url', service.baseUrl], "Profile 'default' is saved"],
    [['profiles', 'use', 'default'], "'default' is the current profile"],
    [['logout'], "Deleted 'default'"],
  ] as const) {
    const { exitCode, stderr } = await runCli([...argv], { ...setting, input: 'tpk_x' });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${what}, but the result could not be printed`);
  }
  expect(folder.stored().profiles).toEqual({});
});

/** Ways to lose the response to a change that was made. */
const losses: [string, (response: ServerResponse) => void][] = [
  ['breaks off', (response) => response.destroy()],
  ['is the 502 of a proxy', (response) => void response.writeHead(502).end('<html>')],
  ['is the page of a proxy', (response) => void response.writeHead(200).end('<html>')],
];

describe.each(losses)('a response that %s', (_, lose) => {
  async function aLossyProxy() {
    const keys: unknown[] = [];
    const server = await startHttpServer((request, response) => {
      keys.push(request.headers['idempotency-key']);
      request.resume().on('end', () => lose(response));
    });
    onTestFinished(() => server.close());
    return { keys, env: { TRADEPOST_BASE_URL: server.url } };
  }

  it.each([
    [['webhooks', 'register', ...registration], '`tradepost webhooks list`'],
    [['webhooks', 'rotate-secret', id, '--yes'], 'Staging a secret again replaces the staged one'],
    [['webhooks', 'pause', id], '`tradepost webhooks get whk_1`'],
    [['webhooks', 'replay', 'dlv_1'], '`tradepost webhooks explain dlv_1`'],
  ])('to %j may be that of an applied change, and the hint reports that', async (argv, look) => {
    const { env } = await aLossyProxy();
    const { exitCode, stderr } = await runCli(argv, { env });
    expect([1, 9]).toContain(exitCode);
    expect(stderr).toContain('hint: The change may have been applied. Check before you repeat');
    expect(stderr).toContain(look);
  });

  it('to an order leaves the idempotency key for a repetition', async () => {
    const { env, keys } = await aLossyProxy();
    const { stderr } = await runCli(['orders', 'create', ...order], { env });
    expect(stderr).toContain('may have been');
    expect(stderr).toContain(`--idempotency-key ${keys[0]}`);
    const argv = ['orders', 'create', ...order, '--idempotency-key', 'my$key', '--output', 'json'];
    const asJson = await runCli(argv, { env });
    expect(JSON.parse(asJson.stderr).error.hint).toContain("--idempotency-key 'my$key'");
  });

  it('to a read request is not reported as that of a change', async () => {
    const { env } = await aLossyProxy();
    const { stderr } = await runCli(['orders', 'get', 'ord_1'], { env });
    expect(stderr).not.toContain('may have been done');
  });
});

it('a change that was never sent is not reported as possibly applied', async () => {
  const port = await findUnusedPort();
  for (const nowhere of [`127.0.0.1:${port}`, '127.0.0.1:1', 'nowhere.invalid']) {
    const env = { TRADEPOST_BASE_URL: `http://${nowhere}` };
    const { exitCode, stderr } = await runCli(['orders', 'create', ...order], { env });
    expect(exitCode).toBe(9);
    expect(stderr).toMatch(/hint: .*check (TRADEPOST_BASE_URL|the network)/i);
  }
});
