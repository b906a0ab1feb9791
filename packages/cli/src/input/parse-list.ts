import { knowsValues } from '../completion/knows-values';
import { InvalidArgument } from './invalid-argument';

/**
 * Makes what parses an option of several names, separated by commas, each once.
 *
 * @param choices what the names may be
 * @param noun what a name stands for, in the singular: `event kind`
 */
export function listParser<Choice extends string>(
  choices: readonly Choice[],
  noun: string,
): (text: string) => Choice[] {
  const parse = (text: string) => {
    const names = new Set(text.split(',').map((name) => name.trim()));
    return Array.from(names, (name) => {
      const choice = choices.find((known) => known === name);
      if (choice !== undefined) return choice;
      throw new InvalidArgument(`'${name}' is no ${noun}. The ${noun}s are ${choices.join(', ')}.`);
    });
  };
  return knowsValues(parse, () => choices, { isList: true });
}
