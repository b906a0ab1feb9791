import type { Terminal } from '../terminal';
import { harmless } from './harmless';

/** Tells the person something that is no data, on stderr. */
export function note(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${harmless(text)}\n`);
}
