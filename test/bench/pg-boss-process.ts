import PgBoss from 'pg-boss';
import {
  createPoster,
  createPosts,
  type JobQueueOperations,
  type QueuedPost,
} from './queued-posts';
import { serveParent } from './serve-parent';

/** Settings of pg-boss that change how fast it is. Source: its documentation, "Workers". */
export interface PgBossSettings {
  /** How many workers poll. */
  workers: number;
  /** How many jobs each takes at once. */
  batchSize: number;
  /** Whether jobs are taken in the order of their priority. */
  priority: boolean;
}

const queue = 'deliver';
/** The shortest that it accepts. A worker that is notified does not wait for it. */
const pollingIntervalSeconds = 0.5;

/** Without maintenance and schedules, which a round is too short for. */
const createBoss = (url: string) =>
  new PgBoss({ connectionString: url, supervise: false, schedule: false });

const operations: JobQueueOperations<PgBossSettings> = {
  async fill(content) {
    const boss = createBoss(content.url);
    await boss.start();
    await boss.createQueue(queue);
    for (const posts of createPosts(content)) {
      await boss.insert(posts.map((data) => ({ name: queue, data })));
    }
    await boss.stop({ graceful: false });
  },

  async start({ url, trade, settings: { workers, ...fetch } }) {
    const boss = createBoss(url);
    await boss.start();
    const post = createPoster(trade);
    const options = { ...fetch, pollingIntervalSeconds, includeMetadata: false };
    for (let number = 1; number <= workers; number += 1) {
      const worker: string = await boss.work<QueuedPost>(queue, options, async (jobs) => {
        // It polls again at once. One statement completes all jobs of a batch meanwhile.
        boss.notifyWorker(worker);
        await Promise.all(jobs.map(({ data }) => post(data)));
      });
    }
  },
};

serveParent(operations);
