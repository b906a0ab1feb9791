import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import type { SeededServer } from '../../helpers/start-seeded-server';

/** What a command prints: several things, one, or a text that no --output changes. */
export type Shape = 'list' | 'one' | 'text';

/** A command line that does its work, and may do it again. */
export interface CommandLine {
  argv: readonly string[];
  shape: Shape;
  /** What it reads from stdin. */
  input?: string;
  /** The exit code it ends with; 0 unless told. */
  code?: number;
}

/** What command lines need beside the seed. */
interface Stage {
  seeded: SeededServer;
  /** A folder for files. */
  folder: string;
  /** Where deliveries are acknowledged. */
  receiver: string;
}

/**
 * A command line for every command that ends by itself, by its path. Those that go on for ever are
 * left out: `orders watch`, and `webhooks listen` is given one attempt at what cannot be delivered.
 */
export async function commandLines({
  seeded,
  folder,
  receiver,
}: Stage): Promise<Map<string, CommandLine>> {
  const client = new Tradepost({
    baseUrl: seeded.server.url,
    apiKey: seeded.seller.apiKey,
  });
  const order = seeded.seed.orders.find(({ status }) => status === 'pending')?.id ?? '';
  const listing = seeded.seed.listings[0]?.id ?? '';
  const [notification] = (await client.notifications.list({ limit: 1 })).data;
  const { id, secret } = await client.webhooks.create({
    url: receiver,
    events: ['task.completed'],
  });
  const { id: delivery } = await client.webhooks.test(id, { event: 'task.completed' });
  const secretFile = join(folder, 'webhook.secret');
  await writeFile(secretFile, secret);
  const where = ['--base-url', seeded.server.url];
  const url = ['--url', receiver, '--events', 'task.completed'];
  const once = ['--since', '1h', '--max-attempts', '1', '--state-file', join(folder, 'place')];

  const rows: [string, Shape, string[], Partial<CommandLine>?][] = [
    ['orders list', 'list', []],
    ['orders get', 'one', [order]],
    ['orders create', 'one', ['--listing', listing, '--quantity', '1'], { code: 4 }],
    ['orders set-status', 'one', [order, 'confirmed']],
    ['notifications list', 'list', []],
    ['notifications read', 'list', [notification?.id ?? '']],
    ['webhooks register', 'one', url],
    ['webhooks list', 'list', []],
    ['webhooks get', 'one', [id]],
    ['webhooks update', 'one', [id, ...url]],
    ['webhooks pause', 'one', [id]],
    ['webhooks resume', 'one', [id]],
    ['webhooks delete', 'one', ['whk_gone', '--yes'], { code: 5 }],
    ['webhooks test', 'one', [id, '--event', 'task.completed']],
    ['webhooks rotate-secret', 'one', [id]],
    ['webhooks deliveries', 'list', []],
    ['webhooks replay', 'list', ['dlv_gone'], { code: 5 }],
    ['webhooks explain', 'one', [delivery]],
    [
      'webhooks verify',
      'one',
      ['--secret-file', secretFile, '--signature', 'a'],
      { input: '{}', code: 1 },
    ],
    ['webhooks listen', 'list', ['--forward-to', 'http://127.0.0.1:1', ...once], { code: 1 }],
    ['events list', 'list', []],
    ['login', 'one', ['--key-stdin', ...where], { input: seeded.seller.apiKey }],
    ['whoami', 'one', []],
    ['profiles list', 'list', []],
    ['profiles use', 'one', ['default']],
    ['doctor', 'list', []],
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
