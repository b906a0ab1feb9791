import type { HookedRetry } from '@tradepost/sdk';
import { messageOf } from './message-of';
import { note } from './output/note';
import type { Terminal } from './terminal';

/** A shorter wait, in milliseconds, is over before its line is read. */
const longDelay = 3_000;

/**
 * Tells of an attempt that took long and came to nothing, or of a long wait for the next: a command that
 * says nothing for two minutes is taken for one that hangs.
 */
export function tellRetry({ error, code, delayMs }: HookedRetry, terminal: Terminal): void {
  if (code !== 'timeout' && delayMs < longDelay) return;
  const when = delayMs < longDelay ? '' : ` in ${Math.ceil(delayMs / 1000)} s`;
  note(terminal, `${messageOf(error)} Trying again${when} …`);
}
