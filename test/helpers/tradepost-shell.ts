import { tradepostBin } from './programs';

/** What a shell needs of the environment, to know `tradepost` by `defineTradepost`. */
export const tradepostPlaces = { NODE: process.execPath, TRADEPOST: tradepostBin };

/** The beginning of a shell script in which `tradepost` is the command line of this checkout. */
export const defineTradepost = 'tradepost() { "$NODE" "$TRADEPOST" "$@"; }; ';
