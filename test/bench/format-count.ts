/** Formats a count with separators: `1,000,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}
