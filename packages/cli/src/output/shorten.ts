import { cellWidth } from './wrap';

const ascii = /^[\x20-\x7e]*$/;

/** Created on first use: a segmenter takes longer than the rest of a table. */
let graphemes: Intl.Segmenter | undefined;

function splitGraphemes(text: string): string[] {
  if (ascii.test(text)) return [...text];
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** Takes as many leading characters as fit into a number of cells. */
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

function takeLastCells(characters: readonly string[], cells: number): string[] {
  return takeCells(characters.toReversed(), cells).reverse();
}

/** Joins the start and the end of a text to a number of cells, the end first. */
function joinEnds(characters: readonly string[], cells: number, tailCells: number): string {
  const tail = takeLastCells(characters, tailCells).join('');
  const head = takeCells(characters, cells - 1 - cellWidth(tail)).join('');
  return `${head}…${tail}`;
}

/**
 * Shortens a text to a number of cells, at least 1, by an ellipsis inside it. Two thirds of the space
 * go to the end, where a message says what happened and an ID differs from others. A URL keeps its host
 * too, if there is room. Graphemes are never split.
 */
export function shorten(text: string, cells: number): string {
  if (cellWidth(text) <= cells) return text;
  return shortenUrl(text, cells) ?? joinEnds(splitGraphemes(text), cells, twoThirds(cells - 1));
}

function twoThirds(cells: number): number {
  return Math.floor((cells * 2) / 3);
}

/** The end of a URL for which its scheme is given up, in cells. */
const comfortableUrlEnd = 6;

/** Shortens a URL behind its host. Returns null if its host does not fit, and for another text. */
function shortenUrl(text: string, cells: number): string | null {
  const [, scheme = '', host = ''] = /^(https?:\/\/)([^/?#]+)./.exec(text) ?? [];
  if (host === '') return null;
  const room = cells - 1;
  const whole = cellWidth(scheme + host);
  // https goes without saying, http does only if the host would not fit otherwise.
  const isWhole = whole <= room - (scheme === 'http://' ? 0 : comfortableUrlEnd);
  const kept = isWhole ? text : text.slice(scheme.length);
  if (cellWidth(kept) <= cells) return kept;
  const head = isWhole ? whole : cellWidth(host);
  return head <= room ? joinEnds(splitGraphemes(kept), cells, room - head) : null;
}
