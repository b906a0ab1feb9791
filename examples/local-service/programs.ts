import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** The two commands of this repository. */
export type Program = 'tradepost' | 'tradepost-server';

const files: Record<Program, string> = {
  tradepost: join(dirname(require.resolve('@tradepost/cli/package.json')), 'bin/tradepost.cjs'),
  'tradepost-server': join(
    dirname(require.resolve('@tradepost/server/package.json')),
    'bin/tradepost-server.js',
  ),
};

/** Returns the file that Node runs for a program. */
export function programFile(program: Program): string {
  return files[program];
}

/** Returns this process's environment, with `settings` in place of all settings of these programs. */
export function createEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !(name.startsWith('TRADEPOST_') || name === 'PORT' || name === 'FORCE_COLOR'),
  );
  return { ...Object.fromEntries(others), ...settings };
}
