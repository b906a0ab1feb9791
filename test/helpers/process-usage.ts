import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { platform } from 'node:process';
import { runProcess } from './start-process';

/** Linux reports processor time in hundredths of a second, independently of its timer. */
const ticksPerSecond = 100;

/** Returns the processor time that all threads of a process have used, in seconds. Linux only. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may contain spaces. After it, utime and stime are fields 14 and 15 (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

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
