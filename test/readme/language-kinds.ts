/** What is done with a snippet: run it, run its commands, parse it, or count it as shown. */
export type Kind = 'program' | 'commands' | 'document' | 'shown';

const kinds = new Map<string, Kind>([
  ['ts', 'program'],
  ['js', 'program'],
  ['sh', 'commands'],
  ['console', 'commands'],
  ['json', 'document'],
  ['text', 'shown'],
  ['', 'shown'],
]);

/** Tells what to do with a language; undefined for one that no test knows. */
export function kindOf(language: string): Kind | undefined {
  return kinds.get(language);
}

/** The languages to write snippets in. */
export const knownLanguages = [...kinds.keys()].filter((language) => language !== '');
