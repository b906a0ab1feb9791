type Cursor = string | undefined;

/**
 * Makes what tells whether the cursors of a list go round in a ring. However long the list is, it
 * keeps but one of them to come back to, and takes a new one after 1, 2, 4 … pages (Brent, "An improved
 * Monte Carlo factorization algorithm", 1980): a ring is found before it was gone round three times,
 * or within as many pages as led to it.
 *
 * @param first what the first page was asked with
 * @returns whether a page leads back: given the cursor that it was asked with, and the one that it gave
 */
export function ringFinder(first: Cursor): (from: Cursor, to: string) => boolean {
  let mark = first;
  let lap = 1;
  let left = lap;
  return (from, to) => {
    if (to === from || to === mark) return true;
    left -= 1;
    if (left === 0) {
      mark = to;
      lap *= 2;
      left = lap;
    }
    return false;
  };
}
