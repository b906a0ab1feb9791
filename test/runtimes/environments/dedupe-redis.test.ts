import { existsSync } from 'node:fs';
import { createClient } from 'redis';
import { beforeAll, expect } from 'vitest';
import { findUnusedPort } from '../../helpers/loopback';
import { type RunningProcess, startProcess } from '../../helpers/start-process';
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

const recipe = readRecipe('Redis');

let application: Application;
let target: DedupeTarget;

/** Starts a Redis that writes each change to a file of the folder before it responds. */
async function startRedis(port: number, folder: string): Promise<RunningProcess> {
  const program = process.env.REDIS_SERVER_PATH ?? '/usr/bin/redis-server';
  if (!existsSync(program)) {
    throw new Error(
      `There is no Redis at ${program}. Install redis-server, or set REDIS_SERVER_PATH to its path.`,
    );
  }
  const options = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
  };
  const redis = startProcess(
    program,
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  );
  await redis.writes(/Ready to accept connections/);
  return redis;
}

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
