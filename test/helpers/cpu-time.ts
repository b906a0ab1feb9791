import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever its timer does. */
const ticksPerSecond = 100;

/** How much processor time a process of this machine has used so far, in seconds: all its threads. Linux only. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold spaces. Behind it utime and stime are fields 14 and 15 (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
