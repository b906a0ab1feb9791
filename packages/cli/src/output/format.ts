/** Turns data into text. What it returns is all there is to write; it writes nothing itself. */
export interface Format<Item> {
  /** The text of a list's next items. A list may come in any number of parts. */
  part(items: readonly Item[]): string;
  /** The text that ends a list. */
  end(): string;
  /** The text of a single thing. */
  one(item: Item): string;
}
