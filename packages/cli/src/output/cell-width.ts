/** Characters that take one cell each, whatever the terminal: nothing has to be looked up for them. */
const plain = /^[\x20-\x7e…·█░]*$/;

type Measure = (text: string) => number;

let measure: Measure | null = null;

/**
 * Loads what knows how wide characters are, if one of the texts has some. It takes longer to load than
 * all else that a table needs, and most tables are plain ASCII.
 */
export async function prepareToMeasure(texts: Iterable<string>): Promise<void> {
  if (measure !== null) return;
  for (const text of texts) {
    if (plain.test(text)) continue;
    const { stringWidth } = await import('../apart/string-width');
    measure = (wide) => stringWidth(wide, { countAnsiEscapeCodes: true });
    return;
  }
}

/**
 * How many cells of a terminal a text takes: two for a wide character, none for a combining one.
 *
 * @throws {Error} for a text that is not plain before `prepareToMeasure` saw one like it.
 */
export function cellWidth(text: string): number {
  if (plain.test(text)) return text.length;
  if (measure === null) throw new Error('prepareToMeasure must come before cellWidth');
  return measure(text);
}
