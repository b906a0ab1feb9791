/**
 * What is done with a snippet: run it, run its commands, parse it, compare it with this workspace's own
 * settings, or only require that it is not empty. `foreign` programs run in the tests of other languages.
 */
export type Kind = 'program' | 'commands' | 'document' | 'setting' | 'foreign' | 'shown';

const kinds = new Map<string, Kind>([
  ['ts', 'program'],
  ['js', 'program'],
  ['sh', 'commands'],
  ['console', 'commands'],
  ['json', 'document'],
  ['yaml', 'setting'],
  ['python', 'foreign'],
  ['text', 'shown'],
  ['mermaid', 'shown'],
  ['', 'shown'],
]);

/** Returns what to do with a language; undefined if no test knows it. */
export function getKind(language: string): Kind | undefined {
  return kinds.get(language);
}

/** The languages in which snippets may be written. */
export const knownLanguages = [...kinds.keys()].filter((language) => language !== '');
