import { exampleSecret } from '@tradepost/sdk/testing';
import { findUnusedPort } from '../../helpers/loopback';
import { type RunningProcess, startProcess } from '../../helpers/start-process';
import { environmentVariables } from './install-environment';

/** A server of a framework that accepts connections. */
export interface Application {
  port: number;
  process: RunningProcess;
  stop(): Promise<unknown>;
}

/** How to start it. */
export interface ApplicationOptions {
  /** The folder in which it runs. */
  path: string;
  /** The arguments of Node: a file and its own arguments. */
  args: readonly string[];
  /** What it prints to stdout when it accepts connections. */
  ready: RegExp;
  /** More variables. `PORT`, `HOST` and the secret are set. */
  env?: Record<string, string>;
}

/** Starts the server of a built project on a free port of loopback. */
export async function startApplication({
  path,
  args,
  ready,
  env = {},
}: ApplicationOptions): Promise<Application> {
  const port = await findUnusedPort();
  const running = startProcess(process.execPath, args, {
    cwd: path,
    env: {
      ...environmentVariables,
      PORT: String(port),
      HOST: '127.0.0.1',
      TRADEPOST_WEBHOOK_SECRET: exampleSecret,
      ...env,
    },
  });
  await running.writes(ready);
  return { port, process: running, stop: () => running.stop('SIGKILL') };
}
