import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const pause = 500;
const run = promisify(execFile);

/** How much memory of a process is resident, in MB of 1,000,000 bytes. */
async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return (Number(stdout) * 1024) / 1e6;
}

/** The most memory that a process had resident over some seconds, looked at twice a second. In MB. */
export async function peakMemory(pid: number, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let peak = 0;
  while (performance.now() < until) {
    peak = Math.max(peak, await residentMemory(pid));
    await setTimeout(pause);
  }
  return peak;
}
