/** Things that arrive when they arrive, to be taken one after another by a test that waits for each. */
export class Inbox<Item> {
  readonly #waiting: ((item: Item) => void)[] = [];
  readonly #arrived: Item[] = [];

  put(item: Item): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(item);
    else waiting(item);
  }

  /** The next thing that was not taken yet, once it is there. */
  next(): Promise<Item> {
    const [item] = this.#arrived.splice(0, 1);
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((take) => this.#waiting.push(take));
  }

  /** How many things are there and were not taken. */
  get size(): number {
    return this.#arrived.length;
  }
}
