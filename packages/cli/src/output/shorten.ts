import { cellWidth } from './cells';

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

/**
 * Shortens a text so that the character at a position is shown, and still some of its start and end.
 *
 * @param isFirst whether nothing comes between an ellipsis and that character, so that texts which differ
 * there look different also if their ends are alike
 */
function shortenAround(
  characters: readonly string[],
  position: number,
  cells: number,
  isFirst: boolean,
): string {
  const rest = cellWidth(characters.slice(position).join(''));
  if (rest < cells) {
    const head = cells - 1 - rest;
    return joinEnds(characters, cells, cells - 1 - (isFirst ? head : Math.floor(head / 2)));
  }
  if (cells < 3) return `…${takeCells(characters.slice(position), cells - 1).join('')}`;
  const room = cells - 2;
  const middle = takeCells(characters.slice(position), Math.max(Math.ceil(room / 2), 2));
  const left = Math.max(0, room - cellWidth(middle.join('')));
  const head = takeCells(characters, Math.floor(left / 2));
  if (position <= head.length) return joinEnds(characters, cells, Math.floor(left / 2));
  const tail = takeLastCells(characters, left - cellWidth(head.join('')));
  const shown = `${head.join('')}…${middle.join('')}…${tail.join('')}`;
  return cellWidth(shown) <= cells ? shown : `…${middle.join('')}`;
}

/** Shortens texts to a number of cells. */
export type Shortener = (texts: readonly string[], cells: number) => string[];

/** The earlier texts that later ones are compared with: what a person may still see. */
const maxRemembered = 1_000;

/**
 * Creates a function that shortens the texts of a column, a part of a list at a time. Texts that differ
 * look different as far as the width allows: where they would look the same, they show the place where
 * they differ.
 */
export function createShortener(): Shortener {
  const before = new Map<string, string>();
  return (texts, cells) => {
    const shown = shortenDistinctly(texts, cells, before);
    for (const [text, short] of shown) {
      before.delete(text);
      before.set(text, short);
    }
    for (const text of before.keys()) {
      if (before.size <= maxRemembered) break;
      before.delete(text);
    }
    return texts.map((text) => shown.get(text) ?? text);
  };
}

/** @param before what is printed already: it stays as it is */
function shortenDistinctly(
  texts: readonly string[],
  cells: number,
  before: ReadonlyMap<string, string>,
): Map<string, string> {
  const shown = new Map<string, string>();
  const movable = new Map<string, string[]>();
  for (const text of new Set(texts)) {
    const known = before.get(text);
    const isKnown = known !== undefined && cellWidth(known) <= cells;
    shown.set(text, isKnown ? known : shorten(text, cells));
    if (!isKnown && cellWidth(text) > cells) movable.set(text, splitGraphemes(text));
  }
  // Each round tells apart the first of the texts that look the same.
  for (let round = 0; round <= texts.length && movable.size > 0; round += 1) {
    let hasChanged = false;
    for (const group of findLookalikes(new Map([...before, ...shown]))) {
      const difference = commonPrefixLength(group.map((text) => splitGraphemes(text)));
      for (const text of group) {
        const characters = movable.get(text);
        if (characters === undefined) continue;
        // First the end of the word where they differ: there IDs of the same time differ from each other.
        const position = round === 0 ? nearWordEnd(characters, difference) : difference;
        const short = shortenAround(characters, position, cells, round > 0);
        hasChanged ||= short !== shown.get(text);
        shown.set(text, short);
      }
    }
    if (!hasChanged) break;
  }
  return shown;
}

/** The end of a word that says enough about it, in characters. */
const wordEndLength = 8;

/** Moves a position towards the end of its word. */
function nearWordEnd(characters: readonly string[], position: number): number {
  const space = characters.indexOf(' ', position);
  const end = space === -1 ? characters.length : space;
  return Math.max(position, end - wordEndLength);
}

/** Groups texts that differ and look the same. */
function findLookalikes(shown: ReadonlyMap<string, string>): string[][] {
  const groups = new Map<string, string[]>();
  for (const [text, short] of shown) {
    const group = groups.get(short);
    if (group === undefined) groups.set(short, [text]);
    else group.push(text);
  }
  return Array.from(groups.values()).filter((group) => group.length > 1);
}

function commonPrefixLength(texts: readonly (readonly string[])[]): number {
  const [first = [], ...others] = texts;
  const end = first.findIndex((character, index) =>
    others.some((text) => text[index] !== character),
  );
  return end === -1 ? first.length : end;
}
