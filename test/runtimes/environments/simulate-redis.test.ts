import type { DedupeStore } from '@tradepost/sdk/webhooks';
import type { RedisClientType } from 'redis';
import { beforeAll } from 'vitest';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { describeSimulation, importRecipe } from './simulate-recipe';
import { startRedis } from './start-redis';

type Redis = Pick<RedisClientType, 'eval' | 'get' | 'set'>;

let createStore: (redis: Redis, options: object) => DedupeStore;
let client: RedisClientType;

beforeAll(async () => {
  const stops: (() => unknown)[] = [];
  const folder = await temporaryFolder();
  const redis = await startRedis(folder, (stop) => stops.push(stop));
  client = redis.client;
  const recipe = await importRecipe<{ createRedisDedupeStore: typeof createStore }>(
    'Redis',
    'src/redis-dedupe-store.ts',
  );
  createStore = recipe.createRedisDedupeStore;
  return async () => {
    for (const stop of stops.reverse()) await stop();
    await folder.remove();
  };
});

describeSimulation('the recipe for Redis', async ({ durable, wrap, now }, leaseMs) => {
  await durable('empty', () => client.flushDb());
  /** Redis has no clock that can be set: what ends in the time of the simulation is removed before each command. */
  const claims = durable('claims', () => new Map<string, { token: string; until: number }>());
  const removeExpired = async () => {
    for (const [key, { token, until }] of claims) {
      if (until > now()) continue;
      claims.delete(key);
      if ((await client.get(key)) === token) await client.del(key);
    }
  };
  const set = async (key: string, token: string, options: Parameters<Redis['set']>[2]) => {
    await removeExpired();
    const reply = await client.set(key, token, options);
    const { expiration } = options as { expiration: { value: number } };
    if (reply === 'OK') claims.set(key, { token, until: now() + expiration.value });
    return reply;
  };
  const get = async (key: string) => {
    await removeExpired();
    return client.get(key);
  };
  const evaluate = async (...args: Parameters<Redis['eval']>) => {
    await removeExpired();
    return client.eval(...args);
  };
  // Each command is a step of its own.
  return createStore(wrap({ get, set, eval: evaluate }) as Redis, { leaseMs });
});
