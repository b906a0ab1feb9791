import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WebhookDetails } from '@tradepost/sdk';
import { exampleSecret } from '@tradepost/sdk/testing';
import { describe, expect, it } from 'vitest';
import { aProblem, BareService } from '../../helpers/minimal-service';
import { runAtKeyboard, type Typing } from '../../helpers/run-at-keyboard';
import { aDelivery, aFolder, aWebhook } from '../../helpers/webhook-builders';

const id = 'whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW';

/** A service that accepts every request, for a person who responds to every prompt. */
async function asking(
  argv: string[],
  typing: readonly Typing[],
  webhook: Partial<WebhookDetails> = {},
  { columns = 200, status = 200, problem = undefined as string | undefined } = {},
) {
  const service = await BareService.start();
  service.instead = ({ method, path }) => {
    if (method === 'DELETE') return { status: 204, body: undefined };
    if (method === 'GET' && path.startsWith('/v1/webhooks/')) {
      if (problem !== undefined) return aProblem(status, problem);
      if (status !== 200) return { status, body: undefined };
      const url = 'https://receiver.example/\u001b[2J';
      const staged = { stagedSecretAt: '2026-11-21T09:30:00.000Z' };
      return { status: 200, body: { data: aWebhook({ url, ...staged, ...webhook }) } };
    }
    if (method === 'GET') {
      const data = [aDelivery({ id: 'dlv_2' }), aDelivery({ id: 'dlv_1' })];
      return { status: 200, body: { data, nextCursor: null } };
    }
    if (path.endsWith('/secret')) {
      const secret = { webhookId: id, secret: exampleSecret, stagedAt: new Date().toISOString() };
      return { status: 201, body: { data: secret } };
    }
    const isReplay = path.endsWith('/replays');
    const data = isReplay ? { replayed: 2, skipped: 0, nextCursor: null } : aWebhook();
    return { status: isReplay ? 202 : 200, body: { data } };
  };
  const env = {
    TRADEPOST_BASE_URL: service.baseUrl,
    TRADEPOST_API_KEY: 'tpk_test',
    TRADEPOST_CONFIG_DIR: '/nonexistent/c',
  };
  const result = await runAtKeyboard(argv, typing, env, { columns });
  const changes = service.seen.filter(({ method }) => method !== 'GET');
  return { ...result, changes: changes.length };
}

describe.each([
  [
    ['webhooks', 'delete', id],
    `Delete ${id} (https://receiver.example/\\u001b[2J for order.created)`,
    1,
  ],
  [['webhooks', 'rotate-secret', id, '--promote'], 'Promote the staged secret', 1],
  [
    ['webhooks', 'replay', '--failed'],
    'Replay 2 failed deliveries to 1 webhook at http://127.0.0.1:',
    1,
  ],
])('%j', (argv, question, changes) => {
  it('prompts, and proceeds after yes', async () => {
    const result = await asking(argv, [[question, 'y']]);
    expect(result).toMatchObject({ exitCode: 0, changes, isRestored: true });
  });

  it('does nothing after a no', async () => {
    const result = await asking(argv, [[question, 'n']]);
    expect(result).toMatchObject({ exitCode: 1, changes: 0, stdout: '', isRestored: true });
    expect(result.stderr).toContain('Nothing changed');
  });
});

describe('webhooks rotate-secret of a webhook with a staged secret', () => {
  const stagedAt = new Date(Date.now() - 3 * 60_000 - 5_000).toISOString();
  const argv = ['webhooks', 'rotate-secret', id];
  const rotate = async (typing: readonly Typing[], webhook: object, args: string[] = []) =>
    await asking([...argv, ...args], typing, webhook);

  it('asks before it replaces the secret', async () => {
    const question = `Replace the secret of ${id} that was staged 3 min`;
    const declined = await rotate([[question, 'n']], { stagedSecretAt: stagedAt });
    expect(declined).toMatchObject({ exitCode: 1, changes: 0, stdout: '' });
    const accepted = await rotate([[question, 'y']], { stagedSecretAt: stagedAt });
    expect(accepted).toMatchObject({ exitCode: 0, changes: 1 });
  });

  it('says that it was staged just now', async () => {
    const question = `Replace the secret of ${id} that was staged just now?`;
    const stagedSecretAt = new Date().toISOString();
    expect(await rotate([[question, 'y']], { stagedSecretAt })).toMatchObject({ changes: 1 });
  });

  it.each([
    [503, 9, 0],
    [500, 1, 0],
    [404, 0, 1],
    [405, 0, 1],
  ])(
    'where the service responds with %i to the question exits %i',
    async (status, exit, changes) => {
      const result = await asking(argv, [], {}, { status });
      expect(result).toMatchObject({ exitCode: exit, changes });
    },
  );

  it('does not ask with --yes, or if none is staged', async () => {
    expect(await rotate([], { stagedSecretAt: stagedAt }, ['--yes'])).toMatchObject({ changes: 1 });
    expect(await rotate([], { stagedSecretAt: null })).toMatchObject({ changes: 1 });
  });
});

describe('webhooks rotate-secret --promote', () => {
  const argv = ['webhooks', 'rotate-secret', id, '--promote'];
  const question = 'Promote the staged secret';

  it('fails before it asks if no secret is staged', async () => {
    const result = await asking(argv, [], { stagedSecretAt: null });
    expect(result).toMatchObject({ exitCode: 6, changes: 0, stdout: '' });
    expect(result.stderr).toContain(`Webhook ${id} has no staged secret`);
    expect(result.stderr).toContain(
      `Stage a secret first: \`tradepost webhooks rotate-secret ${id}`,
    );
    expect(result.stderr).not.toMatch(/Promote|Receivers/);
  });

  it.each([404, 405])('asks where the service responds with %i to a webhook', async (status) => {
    const result = await asking(argv, [[question, 'y']], {}, { status });
    expect(result).toMatchObject({ exitCode: 0, changes: 1 });
  });

  it('fails before it asks if there is no such webhook', async () => {
    const missing = { status: 404, problem: 'webhook_not_found' };
    expect(await asking(argv, [], {}, missing)).toMatchObject({ exitCode: 5, changes: 0 });
  });

  it('asks where the service does not say whether a secret is staged', async () => {
    const result = await asking(argv, [[question, 'y']], { stagedSecretAt: undefined as never });
    expect(result).toMatchObject({ exitCode: 0, changes: 1 });
  });
});

it('a question is wrapped once, between words, beside its symbol', async () => {
  const argv = ['webhooks', 'delete', id];
  // Wide enough for the words up to 'its', but not together with the symbol.
  const { stderr } = await asking(argv, [['Delete', 'n']], {}, { columns: 107 });
  expect(stderr).toContain('for order.created) with all\nits deliveries?\n');
});

describe('webhooks verify at a keyboard', () => {
  it('reports that the body must come from a pipe or file instead of waiting for it', async () => {
    const file = join(await aFolder(), 'webhook.secret');
    await writeFile(file, exampleSecret);
    const signature = ['--signature', 'ab'.repeat(32)];
    const argv = ['webhooks', 'verify', '--secret-file', file, ...signature];
    const { exitCode, stderr } = await asking(argv, []);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Stdin is a terminal');
  });
});
