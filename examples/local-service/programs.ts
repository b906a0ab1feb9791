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

/** The file that Node runs when somebody types the program's name. */
export function fileOf(program: Program): string {
  return files[program];
}

/** The environment of who runs us, without the settings of these programs: only `settings` holds. */
export function environmentWith(settings: Record<string, string>): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !(name.startsWith('TRADEPOST_') || name === 'PORT' || name === 'FORCE_COLOR'),
  );
  return { ...Object.fromEntries(others), ...settings };
}
