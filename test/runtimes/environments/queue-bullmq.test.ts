import { beforeAll } from 'vitest';
import { controlledWorker, describeQueue, type QueueTarget, withControl } from './describe-queue';
import { readRecipe, replacePart } from './read-recipe';
import { startProject } from './start-application';
import { startRedis } from './start-redis';

const recipe = readRecipe('BullMQ');

let target: QueueTarget;

/** What the keys of the queue begin with. */
const prefix = 'bull:tradepost-events:';

/** Shortens the time after which another worker takes a job over. */
function withShortLock(worker: string): string {
  const text = replacePart(worker, 'lockDuration: 30_000', 'lockDuration: 4_000');
  return replacePart(text, 'stalledInterval: 30_000', 'stalledInterval: 500');
}

beforeAll(() =>
  startProject(
    {
      name: 'dedupe',
      dependencies: {
        '@types/node': '20.19.43',
        bullmq: '6.7.0',
        ioredis: '5.11.1',
        typescript: '5.9.3',
      },
      files: {
        ...recipe,
        [controlledWorker]: withShortLock(withControl(recipe['src/worker.ts'] ?? '')),
      },
    },
    async (environment, start, onRemove) => {
      await environment.run('typescript/bin/tsc');
      const redis = await startRedis(environment, onRemove);
      const { connection, client } = redis;
      target = {
        start,
        connection,
        // Each job is a hash whose name ends with the ID of the event; beside it is the lock of a running one.
        countJobs: async () =>
          (await client.keys(`${prefix}evt_*`)).filter((key) => !key.endsWith(':lock')).length,
        isCompleted: async (id) => (await client.zScore(`${prefix}completed`, id)) !== null,
        breakQueue: redis.interrupt,
      };
    },
  ),
);

describeQueue('BullMQ', () => target);
