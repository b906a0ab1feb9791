/** Turns data into text. What it returns is all there is to write; it writes nothing itself. */
export interface Format<Item> {
  /** The text of a list's next items. A list may come in any number of parts. */
  part(items: readonly Item[]): string | Promise<string>;
  /** The text that ends a list. */
  end(): string | Promise<string>;
  /** The text of a single thing. */
  one(item: Item): string | Promise<string>;
}

/** A format that has to wait for nothing. */
export interface InstantFormat<Item> extends Format<Item> {
  part(items: readonly Item[]): string;
  end(): string;
  one(item: Item): string;
}
