import { harmless } from '../output/harmless';

/** What no shell, no history and no terminal takes for anything but itself, within `'…'`. */
function isPlain(text: string): boolean {
  return harmless(text) === text;
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, '0')}`;
}

/**
 * A format of the command `printf` that prints bytes. It holds printable ASCII alone, and no quote: it
 * may stand within `'…'` wherever a shell reads it.
 */
export function printfFormat(bytes: Uint8Array): string {
  return Array.from(bytes, (byte, index) => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    // Some shells take a format that begins with a hyphen for an option.
    const isSafe = /[^'\\!]/.test(character) && !(index === 0 && character === '-');
    return isSafe && byte >= 0x20 && byte < 0x7f ? character : octal(byte);
  }).join('');
}

/**
 * Writes a text as one word of a POSIX shell. What could harm a terminal is written as octal codes.
 *
 * @param encoding how characters become bytes: UTF-8, or a byte each as in headers
 * @throws {RangeError} for a text with NUL, which no word can hold, or with a line end at its end, which
 * a shell drops.
 */
export function shellWord(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  if (/^[\w./:@-]+$/.test(text)) return text;
  const isAscii = /^[ -~]*$/.test(text);
  if (isPlain(text) && (encoding === 'utf8' || isAscii)) {
    return `'${text.replaceAll("'", "'\\''")}'`;
  }
  if (/\0|\n$/.test(text)) throw new RangeError('a word of a shell cannot hold this text');
  return `"$(printf '${printfFormat(Buffer.from(text, encoding))}')"`;
}
