import { findUnknownOption } from '../../option-names';

/**
 * Plain JavaScript may misspell a field or an option, which would have no effect.
 *
 * @throws {TypeError} with a suggestion
 */
export function requireKnown(what: string, given: object, known: object): void {
  const unknown = findUnknownOption(given, known);
  if (unknown) throw new TypeError(`${what}: ${unknown}`);
}
