import { createIdGenerator } from '@tradepost/server';
import PgBoss from 'pg-boss';
import { Agent } from 'undici';
import { serveParent } from './serve-parent';
import { createTarget, signedPost } from './signed-post';
import { orderCreatedBody, type TradingAccounts } from './trading-accounts';

/** A delivery as a job. */
interface QueuedPost {
  /** The place of its webhook among the seller's. */
  webhook: number;
  eventId: string;
  body: string;
}

/** The operations of the program that delivers with pg-boss. */
export type PgBossOperations = {
  /** Fills the queue with deliveries of events to every webhook. */
  fill(content: { url: string; trade: TradingAccounts; deliveries: number }): Promise<void>;
  /** Starts to deliver. Resolves when it does. */
  start(work: { url: string; trade: TradingAccounts }): Promise<void>;
};

const queue = 'deliver';
/** The fastest that were found. Tried were: 1 to 8 workers, each with 32 to 1,000 jobs at once. */
const workers = 2;
const fetchOptions = { batchSize: 1_000, priority: false, includeMetadata: false };
/** The shortest that it accepts. A worker that is notified does not wait for it. */
const pollingIntervalSeconds = 0.5;
/** The maximum number of connections to one endpoint: as many attempts as the server makes at once. */
const connections = 32;
/** How many jobs are added at once. */
const chunkSize = 1_000;

/** Without maintenance and schedules, which a round is too short for. */
const createBoss = (url: string) =>
  new PgBoss({ connectionString: url, supervise: false, schedule: false });

const operations: PgBossOperations = {
  async fill({ url, trade, deliveries }) {
    const boss = createBoss(url);
    await boss.start();
    await boss.createQueue(queue);
    const newId = createIdGenerator();
    const now = Date.now();
    let eventId = '';
    const jobs = Array.from({ length: deliveries }, (_, number) => {
      const webhook = number % trade.webhooks.length;
      if (webhook === 0) eventId = newId('evt', now);
      const body = orderCreatedBody(trade, newId('ord', now), now);
      return { name: queue, data: { webhook, eventId, body } };
    });
    for (let from = 0; from < jobs.length; from += chunkSize) {
      await boss.insert(jobs.slice(from, from + chunkSize));
    }
    await boss.stop({ graceful: false });
  },

  async start({ url, trade }) {
    const boss = createBoss(url);
    await boss.start();
    const agent = new Agent({ connections });
    const targets = trade.webhooks.map(createTarget);
    const options = { ...fetchOptions, pollingIntervalSeconds };
    for (let number = 1; number <= workers; number += 1) {
      const worker: string = await boss.work<QueuedPost>(queue, options, async (jobs) => {
        // It polls again at once. One statement completes all jobs of a batch meanwhile.
        boss.notifyWorker(worker);
        await Promise.all(
          jobs.map(async ({ data: { webhook, eventId, body } }) => {
            const target = targets[webhook];
            if (target === undefined) throw new Error(`There is no webhook ${webhook}.`);
            await signedPost(agent, target, eventId, body);
          }),
        );
      });
    }
  },
};

serveParent(operations);
