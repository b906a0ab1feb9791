import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountEvent, Tradepost } from '@tradepost/sdk';
import { onTestFinished } from 'vitest';
import { placeOrders } from '../../helpers/place-orders';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** What came of one order, as `orders set-status` prints it. */
export interface Outcome {
  id: string;
  outcome: string;
  from: string | null;
  to: string | null;
}

/** Reads what `orders set-status --output json` printed of several orders. */
export function outcomesOf(stdout: string): Outcome[] {
  return JSON.parse(stdout);
}

/** Starts a server with so many pending orders of its seller, and a place for result files. */
export async function startManyOrders(count: number) {
  const seeded = await startSeededServer(['--rate-limit', '1000000']);
  onTestFinished(seeded.close);
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const ids = await placeOrders(seeded, count);
  const env = { ...seeded.createEnvironment(seeded.seller), TRADEPOST_STATE_DIR: folder.path };
  return { seeded, ids, env, file: join(folder.path, 'result.ndjson'), state: folder.path };
}

/** Every change of status that the service made of these orders, by the order's id. */
export async function statusChanges(
  { server, seller }: SeededServer,
  ids: readonly string[],
): Promise<string[]> {
  const { events } = new Tradepost({ baseUrl: server.url, apiKey: seller.apiKey });
  const all = await events.list({ limit: 100 }).toArray({ limit: Number.POSITIVE_INFINITY });
  const wanted = new Set(ids);
  return all.flatMap((event: AccountEvent) =>
    event.event === 'order.status_changed' && wanted.has(event.data.orderId)
      ? [event.data.orderId]
      : [],
  );
}

/** How many outcomes a result file has so far. */
export async function settledIn(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line.startsWith('{"kind":"outcome"')).length;
}

/** Looks at a result file until it has so many outcomes. The test's own time limit ends it. */
export async function untilSettled(file: string, count: number): Promise<void> {
  while ((await settledIn(file)) < count) await new Promise(setImmediate);
}
