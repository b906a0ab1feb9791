import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { cleanEnvironment } from '../helpers/clean-environment';
import type { BenchEnvironment } from './bench-environment';

/** Returns the text of a script that prints how many milliseconds some statements take. */
export function timedScript(statements: string): string {
  return `const started = performance.now();\n${statements};\nconsole.log(performance.now() - started);\n`;
}

/** Runs such a script in a new process without a compile cache, and returns the milliseconds. */
export async function runTimedScript(
  environment: BenchEnvironment,
  script: string,
): Promise<number> {
  const env = cleanEnvironment({});
  delete env.NODE_COMPILE_CACHE;
  const { child, readLogTail } = environment.start([script], ['ignore', 'pipe'], env);
  const [printed, [code, signal]] = await Promise.all([
    text(child.stdout as Readable),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`${script} ended with ${code ?? signal}.\n${readLogTail()}`);
  const duration = Number.parseFloat(printed);
  if (!(duration > 0))
    throw new Error(`${script} printed ${JSON.stringify(printed)}, and no time.`);
  return duration;
}
