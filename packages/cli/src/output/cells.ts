/** Characters that take one cell on every terminal: ASCII, and those that our own texts have: … · █ ░ */
const plainText = /^[\x20-\x7e\u2026\xb7\u2588\u2591]*$/;

let measure: ((text: string) => number) | null = null;

/**
 * Loads the width tables if one of the texts needs them. They take longer to load than the rest of a
 * table, and most tables are plain ASCII.
 */
export async function prepareToMeasure(texts: Iterable<string>): Promise<void> {
  if (measure !== null) return;
  for (const text of texts) {
    if (plainText.test(text)) continue;
    const { stringWidth } = await import('../lazy/string-width');
    measure = (wide) => stringWidth(wide, { countAnsiEscapeCodes: true });
    return;
  }
}

/** Whether `cellWidth` knows the width of a text: not of one that needs the width tables before they are loaded. */
export function isMeasurable(text: string): boolean {
  return measure !== null || plainText.test(text);
}

/**
 * Returns how many cells of a terminal a text takes: two for a wide character, none for a combining one.
 *
 * @throws {Error} for a text that is not plain, without `prepareToMeasure` before
 */
export function cellWidth(text: string): number {
  if (plainText.test(text)) return text.length;
  if (measure === null) throw new Error('prepareToMeasure must come before cellWidth');
  return measure(text);
}

/** Returns the most cells that a text may take: exact only if the width tables are loaded. */
export function maxCellWidth(text: string): number {
  if (plainText.test(text)) return text.length;
  if (measure !== null) return measure(text);
  let cells = 0;
  for (const character of text) cells += character <= '\u02ff' || plainText.test(character) ? 1 : 2;
  return cells;
}

export function pad(text: string, cells: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, cells - cellWidth(text)));
  return align === 'right' ? spaces + text : text + spaces;
}
