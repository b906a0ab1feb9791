import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The CLI as it is installed: the file to run with Node. */
export const tradepostBin = join(
  dirname(require.resolve('@tradepost/cli/package.json')),
  'bin/tradepost.cjs',
);

/** The operator's command as it is installed: the file to run with Node. */
export const tradepostServerBin = join(
  dirname(require.resolve('@tradepost/server/package.json')),
  'bin/tradepost-server.js',
);

/** Where the checkout is: for programs that live in it and are in no package. */
export const checkout = fileURLToPath(new URL('../../', import.meta.url));
