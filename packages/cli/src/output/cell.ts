import { cellWidth } from './cell-width';

/** Made when it is needed: the first one takes longer than all the rest of a table. */
let graphemes: Intl.Segmenter | undefined;

/** As many characters, from the first on, as fit into a number of cells. */
function takeCells(characters: readonly string[], cells: number): string[] {
  const taken: string[] = [];
  let left = cells;
  for (const character of characters) {
    left -= cellWidth(character);
    if (left < 0) break;
    taken.push(character);
  }
  return taken;
}

/**
 * Shortens a text to a number of cells, 1 at least, by an ellipsis inside of it. Two thirds of the
 * room go to the end, where a message says what happened. A character is never cut in half.
 */
export function shorten(text: string, cells: number): string {
  if (cellWidth(text) <= cells) return text;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const characters = Array.from(graphemes.segment(text), ({ segment }) => segment);
  const tail = takeCells(characters.toReversed(), Math.floor(((cells - 1) * 2) / 3)).reverse();
  const head = takeCells(characters, cells - 1 - cellWidth(tail.join('')));
  return `${head.join('')}…${tail.join('')}`;
}

/** Fills a text with spaces to a number of cells, after it or, when it is right-aligned, before it. */
export function pad(text: string, cells: number, align: 'left' | 'right' = 'left'): string {
  const spaces = ' '.repeat(Math.max(0, cells - cellWidth(text)));
  return align === 'right' ? spaces + text : text + spaces;
}
