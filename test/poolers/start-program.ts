import { accessSync, chmodSync, constants, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { forTest } from '../helpers/for-test';
import { type RunningProcess, startProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';

/** A program of the system that a test runs. */
interface ProgramOptions {
  /** Its usual path. */
  path: string;
  /** The environment variable that may name another path. */
  variable: string;
  /** Returns the files that it reads, by name. */
  files: (folder: string) => Record<string, string>;
  /** Returns its arguments. */
  args: (folder: string) => string[];
  /** The port that it listens on. */
  port: number;
}

async function accepts(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}

/** Starts a program with files of its own, and waits until it listens. It is stopped when the test ends. */
export async function startProgram(options: ProgramOptions): Promise<RunningProcess> {
  const program = process.env[options.variable] ?? options.path;
  try {
    accessSync(program, constants.X_OK);
  } catch (error) {
    throw new Error(`There is no ${program}. Install it, or set ${options.variable} to its path.`, {
      cause: error,
    });
  }
  const folder = await forTest(temporaryFolder());
  // As root, a program may run as another user.
  chmodSync(folder.path, 0o755);
  for (const [name, text] of Object.entries(options.files(folder.path))) {
    writeFileSync(join(folder.path, name), text, { mode: 0o644 });
  }
  const running = startProcess(program, options.args(folder.path));
  onTestFinished(async () => {
    await running.stop('SIGTERM');
  });
  await vi.waitFor(() => accepts(options.port), 10_000);
  return running;
}
