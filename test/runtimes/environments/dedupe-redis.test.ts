import { createClient } from 'redis';
import { beforeAll, expect } from 'vitest';
import { findUnusedPort } from '../../helpers/loopback';
import {
  controlled,
  type DedupeTarget,
  describeDedupeStore,
  main,
  withControl,
} from './describe-dedupe-store';
import { describeReceiver } from './describe-receiver';
import { readRecipe } from './read-recipe';
import { type Application, startProject } from './start-application';
import { startRedis } from './start-redis';

const recipe = readRecipe('Redis');

let application: Application;
let target: DedupeTarget;

beforeAll(async () => {
  let stop = async (): Promise<unknown> => undefined;
  const remove = await startProject(
    {
      name: 'dedupe',
      dependencies: {
        '@types/node': '20.19.43',
        redis: '6.3.1',
        typescript: '5.9.3',
      },
      files: { ...recipe, [controlled]: withControl(recipe[main] ?? '') },
    },
    async (environment, start) => {
      await environment.run('typescript/bin/tsc');
      const port = await findUnusedPort();
      let redis = await startRedis(port, environment.path);
      stop = () => redis.stop();
      const connection = { REDIS_URL: `redis://127.0.0.1:${port}` };
      const client = createClient({ url: connection.REDIS_URL });
      client.on('error', () => undefined);
      await client.connect();
      stop = async () => {
        client.destroy();
        await redis.stop();
      };
      application = await start({
        args: ['dist/main.js'],
        ready: /listening on port/,
        env: connection,
      });
      const toRedisKey = (key: string) => `tradepost:delivery:${key}`;
      target = {
        start,
        connection,
        async expire(key) {
          expect(await client.pExpire(toRedisKey(key), 0)).toBe(1);
        },
        readRemainingMs: (key) => client.pTTL(toRedisKey(key)),
        async breakStore() {
          await redis.stop('SIGKILL');
          return async () => {
            redis = await startRedis(port, environment.path);
          };
        },
      };
    },
  ).catch(async (error) => {
    await stop();
    throw error;
  });
  return async () => {
    await stop();
    await remove();
  };
});

describeReceiver('a receiver with Redis', () => ({ application, path: '/webhooks' }));

describeDedupeStore('the store with Redis', () => target, { isPruned: false });
