/** A fenced block of a README. */
export interface Snippet {
  /** The README's path from the root of the checkout, such as `packages/sdk/README.md`. */
  readme: string;
  /** The line of the opening fence, from 1. */
  line: number;
  /** The first word after the opening fence; empty when there is none. */
  language: string;
  /** What is between the fences, each line with its line break, without the fence's indentation. */
  code: string;
}

const fence = /^( *)(`{3,}|~{3,}) *([^\s`]*)[^`]*$/;

/**
 * Finds the fenced blocks of a README, in order. Throws an error with the line if a block is never
 * closed. Source: CommonMark, "Fenced code blocks".
 */
export function findSnippets(readme: string, text: string): Snippet[] {
  const snippets: Snippet[] = [];
  let open: { snippet: Snippet; indent: number; marks: string } | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, indent = '', marks = '', language = ''] = fence.exec(line) ?? [];
    if (open === undefined) {
      if (marks === '') continue;
      const snippet = { readme, line: index + 1, language, code: '' };
      open = { snippet, indent: indent.length, marks };
    } else if (marks.startsWith(open.marks) && line.trim() === marks) {
      snippets.push(open.snippet);
      open = undefined;
    } else {
      const inner = line.slice(Math.min(open.indent, line.search(/\S|$/)));
      open.snippet.code += `${inner}\n`;
    }
  }
  if (open !== undefined)
    throw new Error(`${readme}:${open.snippet.line} opens a block that is never closed.`);
  return snippets;
}
