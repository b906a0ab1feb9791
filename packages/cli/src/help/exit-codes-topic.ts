import { exitCodes } from '../exit-codes';

/** The text of `tradepost help exit-codes`. */
export function exitCodesTopic(): string {
  const lines = Object.values(exitCodes).map(
    ({ code, meaning }) => `${String(code).padStart(5)}  ${meaning}`,
  );
  return ['tradepost ends with one of these exit codes:', '', ...lines, ''].join('\n');
}
