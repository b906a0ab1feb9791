import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('lock-process.ts', import.meta.url));

/** A process of its own that locks files. */
export interface LockProcess {
  pid: number;
  /** Has it take a lock: `taken`, or why not. */
  take(path: string): Promise<string>;
  /** Has it give a lock back. */
  give(path: string): Promise<string>;
  /** Kills it, with whatever it has. */
  kill(): Promise<void>;
}

/** Starts a process that locks files; it ends with the test. */
export async function startLockProcess(): Promise<LockProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await exited;
  }
  onTestFinished(kill);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const reply = async () => String((await lines.next()).value);
  function tell(command: string, path: string): Promise<string> {
    child.stdin.write(`${command} ${path}\n`);
    return reply();
  }
  if ((await reply()) !== 'ready' || child.pid === undefined) throw new Error('It did not start.');
  return {
    pid: child.pid,
    take: (path) => tell('take', path),
    give: (path) => tell('give', path),
    kill,
  };
}
