import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import document from '@tradepost/contract/openapi.json' with { type: 'json' };
import { Tradepost } from '@tradepost/sdk';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { registerWebhook } from '../helpers/register-webhook';
import { runCli } from '../helpers/run-cli';
import { type Receiver, startReceiver } from '../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { type TemporaryFolder, temporaryFolder } from '../helpers/temporary-folder';
import { getRunnableFile, type ProgramFolder, writePrograms } from './program-folder';
import type { Snippet } from './snippets';

/** The samples of an operation in the OpenAPI document, by label. */
interface Operation {
  operationId: string;
  samples: Map<string, string>;
}

interface DocumentedOperation {
  operationId: string;
  'x-codeSamples': { label: string; source: string }[];
}

const read = (paths: object): Operation[] =>
  Object.values(paths)
    .flatMap((item) => Object.values(item as Record<string, DocumentedOperation>))
    .map(({ operationId, 'x-codeSamples': samples }) => ({
      operationId,
      samples: new Map(samples.map(({ label, source }) => [label, source])),
    }));

/** The sign-in code of the document. */
const { code: signInCode } =
  document.paths['/v1/sessions'].post.requestBody.content['application/json'].example;

/** Nothing can be sent to a paused webhook, and a deleted one cannot be used any more. */
const lastOperations = ['updateWebhook', 'deleteWebhook'];

const operations = read(document.paths).toSorted(
  (a, b) => lastOperations.indexOf(a.operationId) - lastOperations.indexOf(b.operationId),
);
const receivers = read(document.webhooks);

/** Samples that another account than the buyer has to run. */
const sellerOperations = ['updateOrder', 'listPartners'];

let service: SeededServer;
let receiver: Receiver;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startSeededServer(), startReceiver()]);
  return async () => {
    await service.close();
    await receiver.close();
  };
});

/** Creates what the samples use, and returns a function that replaces the IDs of the document. */
async function createResources(): Promise<(text: string) => string> {
  const { server, buyer, seed } = service;
  const tradepost = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  const listingId = seed.listings[0]?.id ?? '';
  const webhook = await registerWebhook(tradepost, {
    url: receiver.url,
    events: ['order.created'],
  });
  const order = await tradepost.orders.create({ listingId, quantity: 1 });
  const [notification] = await tradepost.notifications.list().toArray({ limit: 1 });
  const delivery = await tradepost.webhooks.test(webhook.id, { event: 'order.status_changed' });
  await vi.waitUntil(
    async () => (await tradepost.deliveries.get(delivery.id)).state === 'delivered',
    { timeout: 20_000 },
  );
  const [event] = (await tradepost.events.latest({ limit: 1 })).data;
  const { id: key } = await tradepost.keys.create();
  const noted = [notification?.id ?? '', event?.id ?? '', key];
  const ids = [listingId, webhook.id, order.id, delivery.id, ...noted];
  return (text) =>
    ids.reduce(
      (filled, id) => filled.replaceAll(new RegExp(`${id.slice(0, 4)}[0-9A-Z]{26}`, 'g'), id),
      text,
    );
}

/** Replaces the sign-in code of the document, by one that was just created: it expires within a minute. */
async function withCode(text: string): Promise<string> {
  if (!text.includes(signInCode)) return text;
  const { server, buyer } = service;
  const tradepost = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  return text.replace(signInCode, (await tradepost.signIn.createCode()).code);
}

function environmentOf(operationId: string) {
  const account = sellerOperations.includes(operationId) ? service.seller : service.buyer;
  return service.createEnvironment(account);
}

describe('the code samples for the SDK', () => {
  const label = 'TypeScript (SDK)';
  const snippets = new Map<string, Snippet>();
  let programs: ProgramFolder;

  beforeAll(async () => {
    const fill = await createResources();
    for (const { operationId, samples } of [...operations, ...receivers]) {
      const code = fill(samples.get(label) ?? '');
      snippets.set(operationId, { readme: operationId, line: 1, language: 'ts', code });
    }
    programs = await writePrograms([...snippets.values()]);
    return programs.remove;
  });

  test('compile', async () => {
    expect(await programs.checkTypes()).toEqual({ code: 0, output: '' });
  });

  // In this process: one for each sample would take half a second.
  test.each(operations)('do $operationId', async ({ operationId }) => {
    for (const [name, value] of Object.entries(environmentOf(operationId))) vi.stubEnv(name, value);
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      log.mockRestore();
    });
    const file = programs.getFile(snippets.get(operationId) as Snippet);
    const runnable = getRunnableFile(file);
    await writeFile(runnable, await withCode(await readFile(runnable, 'utf8')));
    await import(pathToFileURL(runnable).href);
    const printed = log.mock.calls.flat();
    expect(printed).not.toContain(undefined);
    expect(printed.length > 0).toBe(!['deleteWebhook', 'revokeKey'].includes(operationId));
  });
});

describe('the code samples for the CLI', () => {
  let fill: (text: string) => string;
  let folder: TemporaryFolder;

  beforeAll(async () => {
    [fill, folder] = await Promise.all([createResources(), temporaryFolder()]);
    return folder.remove;
  });

  test.each(operations)('do $operationId', async ({ operationId, samples }) => {
    const [program, ...words] = (await withCode(fill(samples.get('CLI') ?? ''))).split(' ');
    expect(program).toBe('tradepost');
    const args = words.map((word) => (word.endsWith('.secret') ? `${folder.path}/${word}` : word));
    expect(await runCli(args, environmentOf(operationId))).toMatchObject({ code: 0 });
  });
});
