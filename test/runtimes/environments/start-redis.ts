import { existsSync } from 'node:fs';
import { createClient, type RedisClientType } from 'redis';
import { findUnusedPort } from '../../helpers/loopback';
import { type RunningProcess, startProcess } from '../../helpers/start-process';
import type { Environment } from './install-environment';
import type { OnRemove } from './start-application';

/** Starts a Redis that writes each change to a file of the folder before it responds. */
async function launch(port: number, folder: string): Promise<RunningProcess> {
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

/** A Redis whose data are in a project. */
export interface ProjectRedis {
  /** The variable with its URL. */
  connection: { REDIS_URL: string };
  client: RedisClientType;
  /** Kills it. Returns a function that starts it again. */
  interrupt(): Promise<() => Promise<void>>;
}

/** Starts Redis with its data in the project, at a free port, until the project is removed. */
export async function startRedis(
  { path }: Pick<Environment, 'path'>,
  onRemove: OnRemove,
): Promise<ProjectRedis> {
  const port = await findUnusedPort();
  let redis = await launch(port, path);
  onRemove(() => redis.stop());
  const url = `redis://127.0.0.1:${port}`;
  const client: RedisClientType = createClient({ url });
  // Of the connection, when it is interrupted.
  client.on('error', () => undefined);
  await client.connect();
  onRemove(() => client.destroy());
  return {
    connection: { REDIS_URL: url },
    client,
    async interrupt() {
      await redis.stop('SIGKILL');
      return async () => {
        redis = await launch(port, path);
      };
    },
  };
}
