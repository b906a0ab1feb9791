import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeliveryDetails, WebhookDetails } from '@tradepost/sdk';
import { exampleSecret, signDelivery } from '@tradepost/sdk/testing';
import { describe, expect, it } from 'vitest';
import { aProblem, BareService } from '../../helpers/minimal-service';
import { aDeliveryRecord, aFolder, anAttempt, aWebhook } from '../../helpers/webhook-builders';

const now = () => Date.parse('2026-11-21T12:00:00Z');
const later = '2026-11-21T12:05:00.000Z';

async function serviceWith(
  delivery: Partial<DeliveryDetails>,
  webhook: Partial<WebhookDetails> | null = {},
): Promise<BareService> {
  const service = await BareService.start();
  service.instead = ({ path }) => {
    if (path.startsWith('/v1/deliveries/')) {
      return { status: 200, body: { data: aDeliveryRecord(delivery) } };
    }
    if (webhook === null) return aProblem(404, 'webhook_not_found');
    return { status: 200, body: { data: aWebhook(webhook) } };
  };
  return service;
}

async function explained(service: BareService, ...more: string[]) {
  const argv = ['webhooks', 'explain', 'dlv_1', '--output', 'json', ...more];
  const { exitCode, stdout, stderr } = await service.cli(argv, { now });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout);
}

const pending = {
  state: 'pending',
  nextAttemptAt: later,
  finishedAt: null,
  attemptCount: 2,
} as const;

describe('webhooks explain', () => {
  it.each([
    ['delivered', { state: 'delivered', lastStatus: 204 }, {}, 'returned 204'],
    ['failed', {}, {}, 'failed after 11 attempts. The last one: the receiver returned 500'],
    ['failed', { attemptCount: 0, lastStatus: null, attempts: [] }, {}, 'before the first attempt'],
    ['failed', { test: true, attemptCount: 1 }, {}, 'Test events are not retried'],
    ['paused', pending, { status: 'paused' }, 'The webhook is paused'],
    ['backoff', pending, { backoffUntil: later }, `Endpoint backs off until ${later}`],
    [
      'retrying',
      pending,
      { backoffUntil: '2026-11-21T11:00:00.000Z' },
      `The next one is at ${later}`,
    ],
    ['waiting', { ...pending, attemptCount: 0, lastStatus: null }, {}, `due at ${later}`],
    ['in_progress', { ...pending, nextAttemptAt: null }, {}, 'An attempt is in flight'],
    ['unknown', { state: 'parked' as 'failed' }, {}, 'parked'],
  ] as [string, Partial<DeliveryDetails>, Partial<WebhookDetails>, string][])(
    'says %s of %j to %j',
    async (verdict, delivery, webhook, said) => {
      const explanation = await explained(await serviceWith(delivery, webhook));
      expect(explanation.verdict).toBe(verdict);
      expect(explanation.reason).toContain(said);
    },
  );

  it.each([
    [308, null, 'which is not followed'],
    [400, null, 'webhooks verify'],
    [401, null, 'the signature authenticates them'],
    [403, null, 'the signature authenticates them'],
    [404, null, 'Check the path'],
    [410, null, 'Check the path'],
    [418, null, 'Only a 2xx response'],
    [429, null, 'Retry-After'],
    [500, null, 'log of the receiver'],
    [503, null, 'Check that the receiver is running'],
    [null, 'timeout', 'Respond first and process the event afterwards'],
    [null, 'dns_failed (ENOTFOUND)', '(ENOTFOUND)'],
    [null, 'connection_refused', 'Check that the receiver is running'],
    [null, 'tls_failed (CERT_HAS_EXPIRED)', 'Check that the certificate'],
    [null, 'forbidden_address', 'tradepost webhooks listen'],
    [null, 'a_name_of_tomorrow', 'a_name_of_tomorrow'],
    [null, 'constructor', 'constructor'],
  ])('has advice for %j %j', async (lastStatus, lastError, said) => {
    const { reason, hints } = await explained(await serviceWith({ lastStatus, lastError }));
    expect([reason, ...hints].join('\n')).toContain(said);
    expect(hints.at(-1)).toContain('tradepost webhooks replay dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD');
  });

  it('prints the exact signed bytes, their number, and the headers of the last attempt', async () => {
    const body = '{"note":"ü ✓"}';
    const attemptLog = [anAttempt({ number: 1, headers: {} }), anAttempt()];
    const service = await serviceWith({ body, attempts: attemptLog });
    const { signed, delivery, attempts } = await explained(service);
    expect(signed).toEqual({ body, bytes: 17, headers: anAttempt().headers });
    expect(attempts).toEqual(attemptLog);
    expect(delivery).not.toHaveProperty('body');
    expect(delivery).not.toHaveProperty('attempts');
  });

  it('has no curl line for a delivery that was never sent, unless a secret signs it now', async () => {
    const service = await serviceWith({
      ...pending,
      attemptCount: 0,
      lastStatus: null,
      attempts: [],
    });
    expect(await explained(service)).toMatchObject({ curl: null, signed: { headers: null } });
    const { stdout } = await service.cli(['webhooks', 'explain', 'dlv_1'], { now });
    expect(stdout).toMatch(/\nIt was not sent yet: `--secret-file FILE` signs it\.\n$/);
    const file = join(await aFolder(), 'secret');
    await writeFile(file, exampleSecret);
    const fresh = await explained(service, '--secret-file', file);
    const { body, eventId: id } = aDeliveryRecord();
    const { headers } = await signDelivery({ body, id, secret: exampleSecret, sentAt: now() });
    expect(fresh.signed.headers).toEqual({ ...headers, 'User-Agent': 'Tradepost' });
    expect(fresh.curl).toContain('https://receiver.example/tradepost');
    expect(fresh.curl).not.toContain(exampleSecret);
  });

  it('reports a secret that did not sign the last attempt', async () => {
    const file = join(await aFolder(), 'secret');
    await writeFile(file, exampleSecret);
    const [wrong] = (await explained(await serviceWith({}), '--secret-file', file)).hints;
    expect(wrong).toContain('was not signed with the given secret');
    const { headers } = await signDelivery({ body: aDeliveryRecord().body, secret: exampleSecret });
    const service = await serviceWith({ attempts: [anAttempt({ headers })] });
    const { hints } = await explained(service, '--secret-file', file);
    expect(hints.join()).not.toContain('was not signed');
  });

  it('names the IDs that it takes', async () => {
    const service = await serviceWith({});
    const { exitCode, stderr } = await service.cli(['webhooks', 'explain', 'ord_1']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('IDs of this type begin with dlv_ or whk_.');
  });

  it('rejects a secret that cannot sign', async () => {
    const file = join(await aFolder(), 'secret');
    await writeFile(file, 'whsec_!!');
    const service = await serviceWith({});
    const result = await service.cli(['webhooks', 'explain', 'dlv_1', '--secret-file', file]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).not.toContain('whsec_!!');
  });

  it('prints text for people, without terminal control characters', async () => {
    const nasty = 'a\u001b[2J\u202eb';
    const attempt = anAttempt({
      responseSnippet: nasty,
      headers: { 'X-Nasty': 'a\u009bb' },
      error: nasty,
    });
    const service = await serviceWith({
      body: nasty,
      lastStatus: null,
      lastError: nasty,
      attempts: [attempt],
    });
    const { exitCode, stdout } = await service.cli(['webhooks', 'explain', 'dlv_1'], { now });
    expect(exitCode).toBe(0);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    for (const part of [': failed\n', 'WHAT TO DO\n1. ', 'ATTEMPTS\n', 'SIGNED BYTES\n9 bytes']) {
      expect(stdout).toContain(part);
    }
    expect(stdout).toContain('SEND IT BY HAND\nNo curl command for a shell can send this request');
  });

  it('needs the webhook only for details', async () => {
    expect((await explained(await serviceWith(pending, null))).verdict).toBe('retrying');
  });

  it('shows fields, CSV and jq like any other command', async () => {
    const service = await serviceWith({});
    const argv = ['webhooks', 'explain', 'dlv_1'];
    expect((await service.cli([...argv, '--fields', 'verdict'])).stdout).toBe('verdict  failed\n');
    expect((await service.cli([...argv, '--jq', '.signed.bytes'])).stdout).toMatch(/^\d+\n$/);
    const csv = await service.cli([...argv, '--fields', 'verdict', '--output', 'csv']);
    expect(csv.stdout).toBe('verdict\nfailed\n');
  });

  it('writes the signed body to a file, byte for byte, and says what it wrote', async () => {
    const body = '{"note":"ü ✓","line":"\\n"}';
    const service = await serviceWith({ body });
    const file = join(await aFolder(), 'body.json');
    const argv = ['webhooks', 'explain', 'dlv_1', '--body-file', file, '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { now });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).signed.body).toBe(body);
    expect(await readFile(file)).toEqual(Buffer.from(body));
    const digest = createHash('sha256').update(body).digest('hex');
    expect(stderr).toBe(`Wrote the signed body to ${file}: 29 bytes, SHA-256 ${digest}.\n`);
  });

  it('keeps an existing file, and sends nothing then', async () => {
    const service = await serviceWith({});
    const file = join(await aFolder(), 'body.json');
    await writeFile(file, 'precious');
    const argv = ['webhooks', 'explain', 'dlv_1', '--body-file', file];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(
      `error: ${file} exists\nhint: Nothing was written. Name a new file, or delete this one first.\n`,
    );
    expect(await readFile(file, 'utf8')).toBe('precious');
    expect(service.seen).toEqual([]);
  });

  it('reports a file that cannot be created, and leaves none after a failed request', async () => {
    const service = await serviceWith({});
    const folder = await aFolder();
    const argv = ['webhooks', 'explain', 'dlv_1', '--body-file'];
    const missing = await service.cli([...argv, join(folder, 'no/such/body.json')]);
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toContain('Cannot write the body: no such file or directory: ');
    service.instead = () => aProblem(404, 'delivery_not_found');
    const file = join(folder, 'body.json');
    expect((await service.cli([...argv, file])).exitCode).toBe(5);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('prints the commands that check the signature, for the same account', async () => {
    const service = await serviceWith({});
    const connection = ['--base-url', service.baseUrl];
    const argv = ['webhooks', 'explain', 'dlv_1', ...connection];
    const { stdout } = await service.cli(argv, { now });
    const id = 'dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GD';
    const verify = `tradepost webhooks verify --secret-file webhook.secret --signature ${'ab'.repeat(32)} --body-file body.json\n`;
    expect(stdout).toContain(
      [
        'CHECK THE SIGNATURE',
        'With the secret of the webhook in webhook.secret:',
        `tradepost webhooks explain ${id} --body-file body.json ${connection.join(' ')}`,
        verify,
      ].join('\n'),
    );
    const file = join(await aFolder(), "it's");
    const saved = await service.cli([...argv, '--body-file', file], { now });
    expect(saved.stdout).toContain(
      `webhook.secret:\n${verify.replace('body.json', `'${file.replace("'", "'\\''")}'`)}`,
    );
  });

  it('prints no check of a signature that can never match', async () => {
    const headers = { 'Service-Signature': 'sha256=$(id)' };
    const service = await serviceWith({ attempts: [anAttempt({ headers })] });
    const { stdout } = await service.cli(['webhooks', 'explain', 'dlv_1'], { now });
    expect(stdout).not.toContain('CHECK THE SIGNATURE');
  });
});
