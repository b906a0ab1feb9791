import { helpTitle } from './help-style';

/** As wide as the parser makes the rest of a page where no terminal says otherwise. */
const width = 80;
const indent = '  ';

/**
 * Sections for the end of a help page: a title each, and its lines. What is longer than a line goes on
 * in the next, further in; examples, which are to be copied, and tables stay as they are.
 */
export function sections(parts: Record<string, readonly string[]>): string {
  return Object.entries(parts)
    .flatMap(([title, lines]) => ['', helpTitle(`${title}:`), ...lines.map(wrapped)])
    .join('\n');
}

/** A word, or what is to be copied whole. */
const words = /(?:`[^`]*`|\S)+/g;

function wrapped(text: string): string {
  if (text.startsWith('$ ') || text.includes('  ')) return `${indent}${text}`;
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(words) ?? []) {
    const longer = line === '' ? `${indent}${word}` : `${line} ${word}`;
    if (longer.length > width && line !== '') {
      lines.push(line);
      line = `${indent}${indent}${word}`;
    } else line = longer;
  }
  return [...lines, line].join('\n');
}
