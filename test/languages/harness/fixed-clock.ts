import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, languageFolder } from './folders';
import { run } from './run-program';

/** Returns environment variables that stop the clock of a program at the time of a file of test vectors. */
export async function fixedClock(vectorFile: string): Promise<Record<string, string>> {
  const { now } = JSON.parse(readFileSync(vectorFile, 'utf8')) as { now: number };
  return { LD_PRELOAD: await buildClock(), FIXED_CLOCK: String(now) };
}

async function buildClock(): Promise<string> {
  const library = join(cacheFolder('clock'), 'fixed-clock.so');
  const built = `${library}.${process.pid}`;
  const source = join(languageFolder('clock'), 'fixed-clock.c');
  await run({ command: 'cc', args: ['-shared', '-fPIC', '-O1', '-o', built, source] });
  // Another worker may be loading the library.
  renameSync(built, library);
  return library;
}
