/**
 * What is done with a snippet: run it, run its commands, parse it, hold it to this workspace's own
 * settings, or count it as shown.
 */
export type Kind = 'program' | 'commands' | 'document' | 'setting' | 'shown';

const kinds = new Map<string, Kind>([
  ['ts', 'program'],
  ['js', 'program'],
  ['sh', 'commands'],
  ['console', 'commands'],
  ['json', 'document'],
  ['yaml', 'setting'],
  ['text', 'shown'],
  ['mermaid', 'shown'],
  ['', 'shown'],
]);

/** Tells what to do with a language; undefined for one that no test knows. */
export function kindOf(language: string): Kind | undefined {
  return kinds.get(language);
}

/** The languages to write snippets in. */
export const knownLanguages = [...kinds.keys()].filter((language) => language !== '');
