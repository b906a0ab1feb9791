/** A count as people write it: `1,000,000`. */
export function inWords(count: number): string {
  return count.toLocaleString('en');
}
