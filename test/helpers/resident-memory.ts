import { readFile } from 'node:fs/promises';
import { platform } from 'node:process';
import { runProcess } from './start-process';

/** How much memory a process has resident, in bytes. */
export async function residentMemory(pid: number): Promise<number> {
  const text =
    platform === 'linux'
      ? (/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '')
      : (await runProcess('ps', ['-o', 'rss=', '-p', String(pid)])).stdout;
  const kilobytes = Number(text.trim());
  if (!(kilobytes > 0)) throw new Error(`The system does not tell how much memory ${pid} has.`);
  return kilobytes * 1024;
}
