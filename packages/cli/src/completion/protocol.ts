import type { Suggestions } from './suggest';

/** What a shell is to do besides, as bits of the last line. Source: the completion scripts of Cobra. */
const directives = { noSpace: 2, noFiles: 4 } as const;

/** The answer to a shell: a line for each word, with what it means after a tab, then `:` and a number. */
export function protocolText({ words, areFiles, goesOn }: Suggestions): string {
  const lines = words.map(({ value, description }) =>
    description ? `${value}\t${description.replaceAll(/\s+/g, ' ')}` : value,
  );
  const directive = (goesOn ? directives.noSpace : 0) | (areFiles ? 0 : directives.noFiles);
  return [...lines, `:${directive}`, ''].join('\n');
}
