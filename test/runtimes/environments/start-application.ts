import { exampleSecret } from '@tradepost/sdk/testing';
import { findUnusedPort } from '../../helpers/loopback';
import { type RunningProcess, startProcess } from '../../helpers/start-process';
import {
  type Environment,
  type EnvironmentOptions,
  environmentVariables,
  installEnvironment,
} from './install-environment';

/** A server of a framework that accepts connections. */
export interface Application {
  port: number;
  process: RunningProcess;
}

/** How to start a built project. */
export interface StartOptions {
  /** The arguments of Node: a file and its own arguments. */
  args: readonly string[];
  /** What it prints to stdout when it accepts connections. */
  ready: RegExp;
  /** The port. @default a free one */
  port?: number | undefined;
  /** More variables. `PORT`, `HOST` and the secret are set. */
  env?: Record<string, string> | undefined;
}

/** Registers what ends when the project is removed: the latest first, before its programs. */
export type OnRemove = (stop: () => unknown) => void;

/** Starts a program of a built project on a port of loopback. */
export type Start = (options: StartOptions) => Promise<Application>;

/**
 * Installs a project, and lets `prepare` build and start it. Returns the function that stops and removes it; if a step fails,
 * that is done at once.
 */
export async function startProject(
  project: EnvironmentOptions,
  prepare: (environment: Environment, start: Start, onRemove: OnRemove) => Promise<void>,
): Promise<() => Promise<void>> {
  const environment = await installEnvironment(project);
  const started: RunningProcess[] = [];
  const stops: (() => unknown)[] = [];
  const remove = async () => {
    for (const stop of stops.reverse()) await stop();
    await Promise.all(started.map((running) => running.stop('SIGKILL')));
    await environment.remove();
  };
  const start: Start = async ({ args, ready, env = {}, ...options }) => {
    const port = options.port ?? (await findUnusedPort());
    const running = startProcess(process.execPath, args, {
      cwd: environment.path,
      env: {
        ...environmentVariables,
        PORT: String(port),
        HOST: '127.0.0.1',
        TRADEPOST_WEBHOOK_SECRET: exampleSecret,
        ...env,
      },
    });
    started.push(running);
    await running.writes(ready);
    return { port, process: running };
  };
  try {
    await prepare(environment, start, (stop) => stops.push(stop));
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}
