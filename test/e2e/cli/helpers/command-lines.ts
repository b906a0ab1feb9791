import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { registerWebhook } from '../../../helpers/register-webhook';
import type { SeededServer } from '../../../helpers/start-seeded-server';

/** What a command prints: several items, one item, or a text that is the same with every --output. */
export type Shape = 'list' | 'one' | 'text';

/** A command line that succeeds, and can be repeated. */
export interface CommandLine {
  argv: readonly string[];
  shape: Shape;
  /** Its stdin. */
  input?: string;
  /** Its exit code. Defaults to 0. */
  code?: number;
}

/** What the command lines use. */
interface CommandLineData {
  seeded: SeededServer;
  /** A folder for files. */
  folder: string;
  /** The URL of a receiver that acknowledges deliveries. */
  receiver: string;
}

/**
 * Creates a command line for every command that ends by itself, by its path. `orders watch` and `mcp` do not.
 * `webhooks listen` ends since it makes one attempt at a delivery that fails.
 */
export async function createCommandLines({
  seeded,
  folder,
  receiver,
}: CommandLineData): Promise<Map<string, CommandLine>> {
  const client = new Tradepost({
    baseUrl: seeded.server.url,
    apiKey: seeded.seller.apiKey,
  });
  const order = seeded.seed.orders.find(({ status }) => status === 'pending')?.id ?? '';
  const listing = seeded.seed.listings[0]?.id ?? '';
  const [notification] = (await client.notifications.list({ limit: 1 })).data;
  const { id, secret } = await registerWebhook(client, {
    url: receiver,
    events: ['task.completed'],
  });
  const { id: delivery } = await client.webhooks.test(id, { event: 'task.completed' });
  const secretFile = join(folder, 'webhook.secret');
  await writeFile(secretFile, secret);
  const journal = join(folder, 'result.ndjson');
  const plan = { kind: 'tradepost orders set-status', version: 1, total: 1, status: 'confirmed' };
  const owner = { baseUrl: seeded.server.url, keyHint: 'tpk_…', ifStatus: null };
  const entries = [
    { ...plan, ...owner },
    { kind: 'order', id: order },
  ];
  await writeFile(journal, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  const service = ['--base-url', seeded.server.url];
  const url = ['--url', receiver, '--events', 'task.completed'];
  const once = ['--since', '1h', '--max-attempts', '1', '--state-file', join(folder, 'checkpoint')];

  const rows: [string, Shape, string[], Partial<CommandLine>?][] = [
    ['orders list', 'list', []],
    ['orders count', 'one', []],
    ['orders get', 'one', [order]],
    ['orders timeline', 'one', [order]],
    ['orders create', 'one', ['--listing', listing, '--quantity', '1'], { code: 4 }],
    ['orders set-status', 'one', [order, 'confirmed']],
    ['jobs list', 'list', []],
    ['jobs show', 'list', [journal]],
    ['notifications list', 'list', []],
    ['notifications read', 'list', [notification?.id ?? '']],
    ['webhooks register', 'one', url],
    ['webhooks list', 'list', []],
    ['webhooks get', 'one', [id]],
    ['webhooks stats', 'one', [id]],
    ['webhooks update', 'one', [id, ...url]],
    ['webhooks pause', 'one', [id]],
    ['webhooks resume', 'one', [id]],
    ['webhooks delete', 'one', ['whk_gone', '--yes'], { code: 5 }],
    ['webhooks test', 'one', [id, '--event', 'task.completed']],
    ['webhooks rotate-secret', 'one', [id, '--yes']],
    ['webhooks deliveries', 'list', []],
    ['webhooks replay', 'list', ['dlv_gone'], { code: 5 }],
    ['webhooks retry', 'list', [id, '--yes']],
    ['webhooks explain', 'one', [delivery]],
    [
      'webhooks verify',
      'one',
      ['--secret-file', secretFile, '--signature', 'a'.repeat(64)],
      { input: '{}', code: 1 },
    ],
    // Nothing listens there.
    ['webhooks probe', 'one', ['http://127.0.0.1:1', '--secret-file', secretFile], { code: 2 }],
    ['webhooks listen', 'list', ['--forward-to', 'http://127.0.0.1:1', ...once], { code: 1 }],
    ['events list', 'list', []],
    ['events get', 'one', ['evt_gone'], { code: 5 }],
    ['login', 'one', ['--key-stdin', ...service], { input: seeded.seller.apiKey }],
    ['summary', 'one', []],
    ['whoami', 'one', []],
    ['profiles list', 'list', []],
    ['profiles use', 'one', ['default']],
    ['keys list', 'list', []],
    ['keys create', 'one', ['--name', 'export']],
    ['keys revoke', 'one', ['key_gone', '--yes'], { code: 5 }],
    ['open', 'one', []],
    ['doctor', 'list', []],
    ['api', 'text', ['GET', `/v1/orders/${order}`]],
    ['completion', 'text', ['zsh']],
    ['complete', 'text', ['--', 'orders', 'se']],
    ['help', 'text', ['exit-codes']],
    ['logout', 'list', ['--all']],
  ];
  return new Map(
    rows.map(([path, shape, rest, more]) => [
      path,
      { argv: [...path.split(' '), ...rest], shape, ...more },
    ]),
  );
}
