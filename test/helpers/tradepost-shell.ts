import { tradepostBin } from './programs';

/** The environment variables that `tradepostFunction` reads. */
export const tradepostEnvironment = { NODE: process.execPath, TRADEPOST: tradepostBin };

/** Defines `tradepost` in a shell script as the CLI of this checkout. */
export const tradepostFunction = 'tradepost() { "$NODE" "$TRADEPOST" "$@"; }; ';
