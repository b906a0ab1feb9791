import { createHash } from 'node:crypto';

/** Reproducible random numbers: the same name draws the same numbers. */
export class SeededRandom {
  readonly #name: string;
  #drawn = 0;

  /** @param name The seed, or the seed and the part of a test that draws the numbers. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Creates a source for one part of a test. Draws from other sources do not affect it. */
  stream(part: string): SeededRandom {
    return new SeededRandom(`${this.#name}/${part}`);
  }

  /** Draws a number from 0 to below 1. */
  next(): number {
    this.#drawn += 1;
    const digest = createHash('sha256').update(`${this.#name}#${this.#drawn}`).digest();
    return digest.readUInt32BE() / 2 ** 32;
  }

  /** Draws an integer from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Picks one item. Throws if there is none. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There are no items to pick from.');
    return item;
  }
}
