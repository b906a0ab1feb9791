import { createHash } from 'node:crypto';

/** Reproducible random numbers: the same name draws the same numbers. */
export class SeededRandom {
  readonly #name: string;
  #blocks = 0;
  #unused: number[] = [];

  /** @param name The seed, or the seed and the purpose of the numbers. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Returns an independent source, which depends only on this one's name and `part`. */
  stream(part: string): SeededRandom {
    return new SeededRandom(`${this.#name}/${part}`);
  }

  /** A number from 0 to below 1. */
  next(): number {
    if (this.#unused.length === 0) this.#draw();
    return (this.#unused.pop() ?? 0) / 2 ** 32;
  }

  /** An integer, both bounds included. */
  between(lowest: number, highest: number): number {
    return lowest + Math.floor(this.next() * (highest - lowest + 1));
  }

  /** True with this probability, such as 0.25. */
  chance(part: number): boolean {
    return this.next() < part;
  }

  /** Returns one of several items. */
  pick<const Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }

  /** Returns a random number of items, from `least` to `most`. */
  several<Item>(least: number, most: number, make: (index: number) => Item): Item[] {
    return Array.from({ length: this.between(least, most) }, (_, index) => make(index));
  }

  #draw(): void {
    this.#blocks += 1;
    const digest = createHash('sha256').update(`${this.#name}#${this.#blocks}`).digest();
    for (let at = 0; at < digest.length; at += 4) this.#unused.push(digest.readUInt32BE(at));
  }
}
