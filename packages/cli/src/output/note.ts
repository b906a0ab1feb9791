import type { Terminal } from '../terminal';
import { blotSecrets } from './blot-secrets';
import { drawnLines } from './drawn-lines';
import { harmless } from './harmless';

/** Tells the person something that is no data, on stderr. No key and no secret is repeated in it. */
export function note(terminal: Terminal, text: string): void {
  noteWithSecret(terminal, blotSecrets(text));
}

/** Tells the person a secret that is theirs to have, and is not told anywhere else. */
export function noteWithSecret(terminal: Terminal, text: string): void {
  drawnLines.get(terminal.stderr)?.();
  terminal.stderr.write(`${harmless(text)}\n`);
}
