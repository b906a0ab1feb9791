import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { BareService } from './minimal-service';

/** A service with some pending orders, and a place for journals. */
export async function startPendingOrders(count: number) {
  const service = await BareService.start();
  const ids = Array.from({ length: count }, (_, index) => `ord_${index + 1}`);
  service.orders = ids.map((id) => anOrder({ id }));
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-set-status-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { TRADEPOST_STATE_DIR: folder };
  return { service, ids, env, file: join(folder, 'result.ndjson') };
}

/** What came of an order, as `orders set-status` prints it. */
export interface PrintedOutcome {
  id: string;
  outcome: string;
  from: string | null;
  to: string | null;
  code: string | null;
  message: string | null;
}

/** What came of the orders, from `--output json`. */
export function outcomesOf(stdout: string): PrintedOutcome[] {
  return JSON.parse(stdout);
}
