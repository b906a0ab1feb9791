import { readFileSync } from 'node:fs';

/** The program of an integrator that Bun and Deno run. */
export const integrator = readFileSync(new URL('programs/integrator.mjs', import.meta.url), 'utf8');

/** What it prints. */
export const integratorResults = {
  service: { status: 'pending', missing: 'order_not_found', unreachable: 'connection_failed' },
  wrongVerdicts: [],
  receiver: { handled: [3, 3], statuses: [204, 400, 413, 204] },
};

/** The name of this platform in the packages of native programs. */
export const platform = `${process.platform}-${process.arch}`;
