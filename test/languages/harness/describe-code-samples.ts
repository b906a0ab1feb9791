import { readFileSync } from 'node:fs';
import { Tradepost } from '@tradepost/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerWebhook } from '../../helpers/register-webhook';
import { runServerCommand } from '../../helpers/run-server-command';
import { type Receiver, startHttpReceiver } from '../../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { documents } from './folders';
import { type Program, run } from './run-program';

interface Operation {
  operationId: string;
  'x-codeSamples'?: { label: string; source: string }[];
}

/** How the samples of a language are run. */
interface SampleRunner {
  /** Prepares all samples at once, by operation ID: for a compiler, that is faster. */
  prepare?(sources: ReadonlyMap<string, string>): Promise<void>;
  createProgram(operationId: string, source: string): Program;
}

/** Operations that only a seller may do. */
const sellerOperations = new Set(['updateOrder', 'markNotificationRead']);

/** Operations whose response has no body. */
const withoutBody = new Set(['deleteWebhook', 'revokeKey']);

function readSamples(label: string): Map<string, string> {
  const { paths } = JSON.parse(readFileSync(documents['3.1'], 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return new Map(
    operations.map(({ operationId, 'x-codeSamples': samples = [] }) => [
      operationId,
      samples.find((sample) => sample.label === label)?.source ?? '',
    ]),
  );
}

/** Replaces the IDs and the URL of a sample with those of resources that it can use. */
async function fillIn(
  operationId: string,
  source: string,
  listing: string,
  { server, buyer, seller }: SeededServer,
  receiver: Receiver,
): Promise<string> {
  const buying = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  const selling = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  const ids: Record<string, string> = { lst: listing };
  if (/(ord|ntf)_/.test(source)) {
    ids.ord = (await buying.orders.create({ listingId: listing, quantity: 1 })).id;
    ids.ntf = (await selling.notifications.list({ limit: 1 })).data[0]?.id ?? '';
  }
  if (operationId === 'revokeKey') ids.key = (await buying.keys.create()).id;
  if (source.includes('evt_')) ids.evt = (await buying.events.list({ limit: 1 })).data[0]?.id ?? '';
  if (/(whk|dlv)_/.test(source)) {
    const webhook = await registerWebhook(buying, { url: receiver.url, events: ['order.created'] });
    ids.whk = webhook.id;
    if (operationId === 'promoteWebhookSecret') await buying.webhooks.stageSecret(webhook.id);
    if (source.includes('dlv_')) {
      ids.dlv = (await buying.webhooks.test(webhook.id, { event: 'order.created' })).id;
      // It can be replayed when its state is final.
      while ((await buying.deliveries.get(ids.dlv)).state === 'pending');
    }
  }
  return source
    .replace(/\b(ord|lst|ntf|evt|whk|dlv|key)_[0-9A-Z]{26}\b/g, (id, prefix) => ids[prefix] ?? id)
    .replace('https://receiver.example/tradepost', receiver.url);
}

/** Runs the code samples of the OpenAPI document with a label: each operation on the real server. */
export function describeCodeSamples(label: string, runner: SampleRunner): void {
  const samples = readSamples(label);

  describe(`code samples: ${label}`, () => {
    let service: SeededServer;
    const sources = new Map<string, string>();

    beforeAll(async () => {
      service = await startSeededServer();
      const receiver = await startHttpReceiver();
      const { id } = await runServerCommand<{ id: string }>(
        ['listings', 'create', '--seller', service.seller.id, '--quantity', '100'],
        service.server.database,
      );
      for (const [operationId, source] of samples) {
        sources.set(operationId, await fillIn(operationId, source, id, service, receiver));
      }
      await runner.prepare?.(sources);
      return async () => {
        await receiver.close();
        await service.close();
      };
    });

    it.each([...samples.keys()])('%s', async (operationId) => {
      const { buyer, seller } = service;
      if (operationId === 'createSession') {
        // A code is valid for a minute, and the samples of a language may take longer to compile.
        const { url: baseUrl } = service.server;
        const { code } = await new Tradepost({ baseUrl, apiKey: buyer.apiKey }).signIn.createCode();
        const source = (samples.get(operationId) ?? '').replace(/tpc_\w+/, code);
        sources.set(operationId, source);
        await runner.prepare?.(new Map([[operationId, source]]));
      }
      const program = runner.createProgram(operationId, sources.get(operationId) ?? '');
      const account = sellerOperations.has(operationId) ? seller : buyer;
      const env = { ...program.env, ...service.createEnvironment(account) };
      const stdout = (await run({ ...program, env })).trim();
      if (withoutBody.has(operationId)) expect(stdout).toBe('');
      else expect(JSON.parse(stdout)).toHaveProperty('data');
    });
  });
}
