import type { HookedRetry } from '@tradepost/sdk';
import { messageOf } from './message-of';
import { note } from './output/note';
import type { Terminal } from './terminal';

/** A shorter wait, in milliseconds, is over before its line is read. */
const longDelay = 3_000;

/** It is told at most so often, in milliseconds: many may be under way. */
const interval = 25_000;

/**
 * Makes what tells of an attempt that took long and came to nothing, or of a long wait for the next: a
 * command that says nothing for two minutes is taken for one that hangs. Where stderr is no terminal nobody
 * waits, and it may be read by a program: there nothing is told.
 */
export function retryTeller(terminal: Terminal): (retry: HookedRetry) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return ({ error, code, delayMs }) => {
    if (terminal.stderr.isTTY !== true) return;
    const isLong = delayMs >= longDelay;
    const now = terminal.elapsed();
    if (!(isLong || code === 'timeout') || now - toldAt < interval) return;
    toldAt = now;
    const when = isLong ? ` in ${Math.ceil(delayMs / 1000)} s` : '';
    note(terminal, `${messageOf(error)} Trying again${when} …`);
  };
}
