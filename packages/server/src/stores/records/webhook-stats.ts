import { type StatsRow, statsCounters } from '@tradepost/domain/webhooks/stats-counts';
import type { SummedStats } from '@tradepost/domain/webhooks/webhook-store';
import { Fields } from './fields';
import { webhookStats } from './tables';

const names = webhookStats.names.filter((name) => !webhookStats.key.includes(name));

/** Ends an insert of rows, so that they are added to those with the same key. */
export const addToStored = `ON CONFLICT (${webhookStats.key.join(', ')}) DO UPDATE SET ${names
  .map((name) => `${name} = webhook_stats.${name} + excluded.${name}`)
  .join(', ')}`;

/** What is read of sums of rows, which are grouped by their webhook and by the column `bucket`. */
export const summedStats = new Fields<SummedStats>({
  webhookId: ['webhook_id', 'text'],
  bucket: ['bucket', 'integer'],
  ...(Object.fromEntries(
    statsCounters.map((counter) => [
      counter,
      [`CAST(sum(${webhookStats.columns[counter][0]}) AS BIGINT)`, 'integer'],
    ]),
  ) as unknown as Pick<Fields<StatsRow>['columns'], (typeof statsCounters)[number]>),
});
