import { helpTitle } from './help-style';

/** Sections for the end of a help page: a title each, and its lines. */
export function sections(parts: Record<string, readonly string[]>): string {
  return Object.entries(parts)
    .flatMap(([title, lines]) => ['', helpTitle(`${title}:`), ...lines.map((line) => `  ${line}`)])
    .join('\n');
}
