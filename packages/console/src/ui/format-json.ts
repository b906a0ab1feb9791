/** What nests deeper is not easier to read with indents, which would be longer than the text. */
const maxDepth = 50;

/** Strings, brackets and separators, and what is between them: numbers, `true`, `false`, `null`. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Lays out an object or array of JSON on lines, with indents of two spaces. Only white space between tokens changes: numbers beyond
 * 2^53, escapes, repeated names and their order stay as they are written.
 *
 * @returns null if the text is no JSON, is neither object nor array, or nests more than 50 levels deep
 */
export function formatJson(text: string): string | null {
  if (!/^\s*[{[]/.test(text) || !isJson(text)) return null;
  let depth = 0;
  let before = '';
  let formatted = '';
  for (const [token] of text.matchAll(tokens)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const isEmpty = closes && (before === '{' || before === '[');
    const startsLine = closes ? !isEmpty : before === '{' || before === '[' || before === ',';
    formatted += `${startsLine ? `\n${'  '.repeat(depth)}` : ''}${token}${token === ':' ? ' ' : ''}`;
    if (token === '{' || token === '[') depth += 1;
    if (depth > maxDepth) return null;
    before = token;
  }
  return formatted;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
