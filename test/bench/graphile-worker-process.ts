import { Logger, makeWorkerUtils, run, type TaskList, WorkerPreset } from 'graphile-worker';
import {
  createPoster,
  createPosts,
  type JobQueueOperations,
  type QueuedPost,
} from './queued-posts';
import { serveParent } from './serve-parent';

/** Settings of graphile-worker that change how fast it is. Source: its documentation, "Performance". */
export interface GraphileWorkerSettings {
  concurrentJobs: number;
  maxPoolSize: number;
  localQueue?: { size: number };
  completeJobBatchDelay?: number;
  failJobBatchDelay?: number;
}

/** It would log each job. */
const logger = new Logger(() => () => {});

function* split<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

const operations: JobQueueOperations<GraphileWorkerSettings> = {
  async fill({ perJob, ...content }) {
    const utils = await makeWorkerUtils({ connectionString: content.url, logger });
    await utils.migrate();
    for (const posts of createPosts(content)) {
      const payloads = perJob === undefined ? posts : [...split(posts, perJob)];
      await utils.addJobs(payloads.map((payload) => ({ identifier: 'deliver', payload })));
    }
    await utils.release();
  },

  async start({ url, trade, settings }) {
    const post = createPoster(trade);
    const taskList: TaskList = {
      // Of an array, only the items whose promises reject are tried again.
      deliver: (payload) =>
        Array.isArray(payload) ? payload.map(post) : post(payload as QueuedPost),
    };
    await run({
      preset: {
        extends: [WorkerPreset],
        worker: { connectionString: url, ...settings, logger },
      },
      taskList,
      parsedCronItems: [],
      noHandleSignals: true,
    });
  },
};

serveParent(operations);
