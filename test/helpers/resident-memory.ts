import { readFile } from 'node:fs/promises';
import { platform } from 'node:process';
import { runProcess } from './start-process';

/** Returns the resident memory of a process, in bytes. */
export async function readResidentMemory(pid: number): Promise<number> {
  const text =
    platform === 'linux'
      ? (/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '')
      : (await runProcess('ps', ['-o', 'rss=', '-p', String(pid)])).stdout;
  const kilobytes = Number(text.trim());
  if (!(kilobytes > 0)) throw new Error(`Cannot read the resident memory of process ${pid}.`);
  return kilobytes * 1024;
}
