import { readFileSync } from 'node:fs';

/** Linux reports processor time in hundredths of a second, independently of its timer. */
const ticksPerSecond = 100;

/** Returns the processor time that all threads of a process have used, in seconds. Linux only. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may contain spaces. After it, utime and stime are fields 14 and 15 (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
