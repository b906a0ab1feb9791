import { setTimeout } from 'node:timers/promises';
import { readResidentMemory } from '../helpers/resident-memory';

const intervalMs = 500;

/** Measures the peak resident memory of a process over some seconds, sampled twice a second, in MB. */
export async function peakMemory(pid: number, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let peak = 0;
  while (performance.now() < until) {
    peak = Math.max(peak, (await readResidentMemory(pid)) / 1e6);
    await setTimeout(intervalMs);
  }
  return peak;
}
