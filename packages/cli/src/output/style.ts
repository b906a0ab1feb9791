import { styleText } from 'node:util';
import type { OutputStream } from '../terminal';

/** A colour or weight that text is shown in. */
export type Look = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';

/** Puts a look on text, or leaves it plain where the stream shows no colours. */
export type Style = (look: Look, text: string) => string;

/** The style of a stream: it heeds the terminal, `NO_COLOR` and `FORCE_COLOR`. */
export function styleOf(stream: OutputStream): Style {
  return (look, text) => styleText(look, text, { stream });
}

/** Whether a stream shows colours. */
export function showsColours(stream: OutputStream): boolean {
  return styleOf(stream)('bold', '-') !== '-';
}
