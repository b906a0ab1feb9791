import { CliError } from '../errors/cli-error';

/** Tells the encoding of a text by its byte order mark, or by the zero bytes that ASCII has in UTF-16. */
export function findEncoding(bytes: Uint8Array): 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'UTF-32' {
  const [first = -1, second = -1, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'UTF-32' : 'UTF-16LE';
  if (first === 0xfe && second === 0xff) return 'UTF-16BE';
  if (first === 0 && second === 0) return 'UTF-32';
  if (first > 0 && second === 0) return 'UTF-16LE';
  return first === 0 && second > 0 ? 'UTF-16BE' : 'UTF-8';
}

/**
 * Decodes a text that a person may have saved on another system: UTF-8, or UTF-16 as PowerShell writes it. A byte order
 * mark is removed.
 *
 * @param name what the text is called: `Stdin`, or its file
 * @param other the encoding of what is neither. @default that is an error
 * @throws {CliError} `input_unreadable`
 */
export function decodeText(bytes: Uint8Array, name: string, other?: 'windows-1252'): string {
  const encoding = findEncoding(bytes);
  if (encoding === 'UTF-32') throw encodingError(`${name} is UTF-32 or binary`);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    if (other !== undefined) return new TextDecoder(other).decode(bytes);
    throw encodingError(`${name} is neither UTF-8 nor UTF-16`);
  }
}

function encodingError(message: string): CliError {
  return new CliError('input_unreadable', message, 'Save it as UTF-8.');
}
