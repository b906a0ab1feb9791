import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { startHttpServer } from '../helpers/loopback';
import { placeOrders } from '../helpers/place-orders';
import { registerWebhook } from '../helpers/register-webhook';
import { runAll } from '../helpers/run-all';
import { runCli } from '../helpers/run-cli';
import { screenText } from '../helpers/screen-text';
import { startOnTerminal } from '../helpers/start-on-terminal';
import { startReceiver } from '../helpers/start-receiver';
import { startSeededServer } from '../helpers/start-seeded-server';
import { temporaryFolder } from '../helpers/temporary-folder';
import { expectWholeWords, splitWords } from '../helpers/whole-words';

/** Widths of the real terminals. The unit tests of the CLI have those between too, and the transcripts have 60 cells. */
const widths = [40, 80, 200];

async function show(argv: readonly string[], columns: number, env: Record<string, string>) {
  const { raw } = await startOnTerminal(argv, { columns, env }).exit;
  return screenText(raw);
}

it.each([
  ['of the program', ['--help']],
  ['of a group', ['webhooks', '--help']],
  ['of a command with two subjects', ['orders', 'set-status', '--help']],
  ['of a command with the most options', ['webhooks', 'listen', '--help']],
  ['of a command without a group', ['api', '--help']],
  ['of a topic', ['help', 'output']],
])('the help %s is broken nowhere inside a word', async (_, argv) => {
  // The unit tests have every page at all widths.
  const columns = 60;
  const screen = await show(argv, columns, {});
  expect(screen.trim()).not.toBe('');
  expectWholeWords(screen, columns);
});

const unknownOrders = ['ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH', 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GJ'];

/** Writes a body and its secret to files. Returns the command line that verifies its signature. */
async function prepareVerification(folder: string): Promise<string[]> {
  const body = JSON.stringify({
    event: 'order.created',
    createdAt: '2026-11-21T09:30:00.000Z',
    data: { orderId: unknownOrders[0] },
  });
  const secret = 'a'.repeat(64);
  const [bodyFile, secretFile] = [join(folder, 'body.json'), join(folder, 'webhook.secret')];
  await writeFile(bodyFile, body);
  await writeFile(secretFile, `${secret}\n`);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const argv = ['webhooks', 'verify', '--secret-file', secretFile];
  return [...argv, '--signature', signature, '--body-file', bodyFile];
}

/** Command lines that show every kind of text: tables, records, errors, hints, notices and explanations. */
async function prepareTexts() {
  const seeded = await forTest(startSeededServer());
  const folder = await forTest(temporaryFolder());
  const env: Record<string, string> = {
    ...seeded.createEnvironment(seeded.seller),
    TRADEPOST_STATE_DIR: folder.path,
  };
  const client = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
  const receiver = await forTest(startReceiver(() => 500));
  const { id: webhook } = await registerWebhook(client, {
    url: receiver.url,
    events: ['order.created', 'order.status_changed'],
  });
  const { id: delivery } = await client.webhooks.test(webhook, { event: 'order.created' });
  await receiver.until((arrivals) => arrivals.length > 0);
  const down = await forTest(startHttpServer((_, response) => void response.writeHead(503).end()));
  const verify = await prepareVerification(folder.path);
  const order = seeded.seed.orders.find(({ status }) => status === 'completed')?.id ?? '';
  const orders = seeded.seed.orders.map(({ id }) => id);
  const lines: string[][] = [
    ['orders', 'list', '--limit', '3'],
    ['orders', 'get', order],
    ['orders', 'set-status', order, 'pending'],
    ['orders', 'set-status', ...orders, 'cancelled', '--dry-run'],
    ['orders', 'set-status', order],
    ['orders', 'get', 'ord_01M7YPXJ5SMRF6RJKMKQ0C1K0S'],
    ['orders', 'set-status', ...unknownOrders, 'confirmed', '--yes'],
    [
      ...['orders', 'set-status', ...orders, 'confirmed', '--yes'],
      ...['--base-url', down.url, '--reconnect-timeout', '1'],
    ],
    ['orders', 'lst'],
    ['jobs', 'list'],
    ['notifications', 'list', '--limit', '3'],
    ['notifications', 'read', '--all', '--dry-run'],
    ['webhooks', 'list'],
    ['webhooks', 'get', webhook],
    ['webhooks', 'deliveries'],
    ['webhooks', 'explain', delivery],
    ['webhooks', 'replay', delivery, '--dry-run'],
    ['webhooks', 'rotate-secret', webhook, '--yes'],
    ['webhooks', 'test', webhook, '--event', 'order.created'],
    verify,
    [...verify, '--tolerance', '5', '--header', 'webhook-id: evt_1'],
    verify.with(-1, 'webhook.missing'),
    verify.with(-3, 'f'.repeat(64)),
    ['events', 'list', '--limit', '3'],
    ['api', 'GET', '/v1/nothing'],
    ['api', 'FETCH', '/v1/orders'],
    ['api', 'HEAD', '/v1/orders', '--include'],
    ['api', 'GET', '/v1/orders', '--output', 'csv'],
    ['mcp'],
    ['whoami'],
    ['profiles', 'list'],
    ['doctor'],
    ['doctor', '--base-url', 'http://127.0.0.1:1'],
    ['doctor', '--base-url', down.url],
  ];
  return { env, lines, delivery };
}

it('no table, record, error, hint or notice is broken inside a word, at any width', async () => {
  const { env, lines } = await prepareTexts();
  await runAll(lines, async (argv) => {
    for (const columns of widths) expectWholeWords(await show(argv, columns, env), columns);
  });
}, 300_000);

it('a terminal shows all words of an explanation and of an error that a pipe gets', async () => {
  const { env, lines, delivery } = await prepareTexts();
  const complete = lines.filter(([noun, verb = '']) =>
    ['get', 'explain', 'whoami'].includes(noun === 'whoami' ? noun : verb),
  );
  expect(complete.length).toBeGreaterThan(3);
  expect(complete.flat()).toContain(delivery);
  await runAll(complete, async (argv) => {
    const { stdout, stderr } = await runCli(argv, env);
    for (const columns of widths) {
      // A pipe has ISO times, and names and histories only on request.
      const [noun] = argv;
      const plain = noun === 'orders' ? ['--no-names', '--no-history'] : [];
      const screen = await show([...argv, '--time', 'iso', ...plain], columns, env);
      // A request has its own ID and its own time.
      const mask = (text: string) => splitWords(text).filter((word) => !word.startsWith('req_'));
      expect(mask(screen)).toEqual(mask(stdout + stderr));
    }
  });
}, 300_000);

it('no report of a change, and no command in it, is broken inside a word, at any width', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const client = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
  const orders = await placeOrders(seeded, widths.length);
  const { id: webhook } = await registerWebhook(client, {
    url: 'https://receiver.example/tradepost',
    events: ['order.created'],
  });
  for (const [index, columns] of widths.entries()) {
    const moved = ['orders', 'set-status', orders[index] ?? '', 'confirmed'];
    const screen = await show(moved, columns, env);
    expectWholeWords(screen, columns);
    expect(splitWords(screen)).toEqual([orders[index], 'pending', '→', 'confirmed']);

    const rotate = ['webhooks', 'rotate-secret', webhook];
    const staged = await show(rotate, columns, env);
    expectWholeWords(staged, columns);
    const promoted = await show([...rotate, '--promote', '--yes'], columns, env);
    expectWholeWords(promoted, columns);
    const [, command = ''] = promoted.split('test event:\n');
    // As a shell reads it.
    expect(command.replaceAll(' \\\n', '').trim().split(/ +/).join(' ')).toBe(
      `tradepost webhooks test ${webhook} --event order.created --wait`,
    );
  }
}, 120_000);

it.each([
  ['orders watch', ['orders', 'watch', '--since', '1h'], /cancelled/],
  [
    'webhooks listen',
    ['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:1/hooks', '--since', '1h'],
    /Retrying/,
  ],
])(
  '%s breaks no line inside a word, at any width',
  async (_, argv, shown) => {
    const seeded = await forTest(startSeededServer());
    const env = seeded.createEnvironment(seeded.seller);
    const folder = await forTest(temporaryFolder());
    await runAll(widths, async (columns) => {
      const state = { TRADEPOST_STATE_DIR: join(folder.path, String(columns)) };
      const session = startOnTerminal(argv, { columns, env: { ...env, ...state } });
      await session.shows(shown);
      session.type('\u0003');
      const { code, raw } = await session.exit;
      expect(code).toBe(130);
      expectWholeWords(screenText(raw), columns);
    });
  },
  120_000,
);
