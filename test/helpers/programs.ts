import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The file of the installed CLI, to run with Node. */
export const tradepostBin = join(
  dirname(require.resolve('@tradepost/cli/package.json')),
  'bin/tradepost.cjs',
);

/** The file of the installed `tradepost-server`, to run with Node. */
export const tradepostServerBin = join(
  dirname(require.resolve('@tradepost/server/package.json')),
  'bin/tradepost-server.js',
);

/** The root of the checkout, for programs that are in no package. */
export const checkout = fileURLToPath(new URL('../../', import.meta.url));

/** The environment variables that `tradepostFunction` reads. */
export const tradepostEnvironment = { NODE: process.execPath, TRADEPOST: tradepostBin };

/** Defines `tradepost` in a shell script as the CLI of this checkout. */
export const tradepostFunction = 'tradepost() { "$NODE" "$TRADEPOST" "$@"; }; ';
