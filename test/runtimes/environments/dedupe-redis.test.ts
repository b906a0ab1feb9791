import { beforeAll, expect } from 'vitest';
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

beforeAll(() =>
  startProject(
    {
      name: 'dedupe',
      dependencies: {
        '@types/node': '20.19.43',
        redis: '6.3.1',
        typescript: '5.9.3',
      },
      files: { ...recipe, [controlled]: withControl(recipe[main] ?? '') },
    },
    async (environment, start, onRemove) => {
      await environment.run('typescript/bin/tsc');
      const redis = await startRedis(environment, onRemove);
      const { connection, client } = redis;
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
        breakStore: redis.interrupt,
      };
    },
  ),
);

describeReceiver('a receiver with Redis', () => ({ application, path: '/webhooks' }));

describeDedupeStore('the store with Redis', () => target, { isPruned: false });
