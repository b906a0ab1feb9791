import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountEvent, Tradepost } from '@tradepost/sdk';
import { forTest } from '../../../helpers/for-test';
import { placeOrders } from '../../../helpers/place-orders';
import { type SeededServer, startSeededServer } from '../../../helpers/start-seeded-server';
import { temporaryFolder } from '../../../helpers/temporary-folder';

/** The outcome of one order, as `orders set-status` prints it. */
export interface Outcome {
  id: string;
  outcome: string;
  from: string | null;
  to: string | null;
}

/** Parses what `orders set-status --output json` printed about several orders. */
export function parseOutcomes(stdout: string): Outcome[] {
  return JSON.parse(stdout);
}

/** Starts a server with `count` more pending orders, and creates a folder for journals. */
export async function startManyOrders(count: number) {
  const seeded = await forTest(startSeededServer(['--rate-limit', '1000000']));
  const folder = await forTest(temporaryFolder());
  const ids = await placeOrders(seeded, count);
  const env = { ...seeded.createEnvironment(seeded.seller), TRADEPOST_STATE_DIR: folder.path };
  return { seeded, ids, env, file: join(folder.path, 'journal.ndjson'), state: folder.path };
}

/** Lists the status changes of these orders: the ID of the order for each change. */
export async function listStatusChanges(
  { server, seller }: SeededServer,
  ids: readonly string[],
): Promise<string[]> {
  const { events } = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  const all = await events.list({ limit: 100 }).toArray({ limit: Number.POSITIVE_INFINITY });
  const requested = new Set(ids);
  return all.flatMap((event: AccountEvent) =>
    event.event === 'order.status_changed' && requested.has(event.data.orderId)
      ? [event.data.orderId]
      : [],
  );
}

/** Counts the outcomes in a journal. */
export async function countOutcomes(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line.startsWith('{"kind":"outcome"')).length;
}

/** Waits until a journal has `count` outcomes. Only the test's timeout limits it. */
export async function waitForOutcomes(file: string, count: number): Promise<void> {
  while ((await countOutcomes(file)) < count) await new Promise(setImmediate);
}
