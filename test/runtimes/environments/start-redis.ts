import { existsSync } from 'node:fs';
import { type RunningProcess, startProcess } from '../../helpers/start-process';

/** Starts a Redis that writes each change to a file of the folder before it responds. */
export async function startRedis(port: number, folder: string): Promise<RunningProcess> {
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
