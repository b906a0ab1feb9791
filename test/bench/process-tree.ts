import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in these, whatever the machine. */
const ticksPerSecond = 100;

/** The fields of `/proc/PID/stat` after the name in parentheses, which may have spaces. Source: proc(5). */
function readStat(pid: string): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** A process and its children. */
export class ProcessTree {
  readonly #pid: number;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Returns the processor time that they have used, in seconds, with that of children that have ended. Only on Linux; otherwise null. */
  readProcessorTime(): number | null {
    if (process.platform !== 'linux') return null;
    let ticks = 0;
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      const fields = readStat(pid);
      if (fields === null) continue;
      const [, parent, ...rest] = fields;
      const [user, system, endedUser, endedSystem] = rest.slice(9, 13).map(Number);
      const isRoot = Number(pid) === this.#pid;
      if (!isRoot && Number(parent) !== this.#pid) continue;
      ticks += (user ?? 0) + (system ?? 0);
      if (isRoot) ticks += (endedUser ?? 0) + (endedSystem ?? 0);
    }
    return ticks / ticksPerSecond;
  }
}
