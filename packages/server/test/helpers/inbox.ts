/** A queue of arriving items. A test waits for each in turn. */
export class Inbox<Item> {
  readonly #waiting: ((item: Item) => void)[] = [];
  readonly #arrived: Item[] = [];

  put(item: Item): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(item);
    else waiting(item);
  }

  /** Waits for the next item. */
  next(): Promise<Item> {
    const [item] = this.#arrived.splice(0, 1);
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((take) => this.#waiting.push(take));
  }

  /** The number of items that were not taken. */
  get size(): number {
    return this.#arrived.length;
  }
}
