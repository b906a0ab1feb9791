import { createHash } from 'node:crypto';

/** Chance that can be had again: the same name draws the same numbers. */
export class SeededRandom {
  readonly #name: string;
  #drawn = 0;

  /** @param name What the numbers come from: a seed, or a seed and a part that it is drawn for. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Another source that only this one's name and `part` decide on, whoever else draws in between. */
  stream(part: string): SeededRandom {
    return new SeededRandom(`${this.#name}/${part}`);
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.#drawn += 1;
    const digest = createHash('sha256').update(`${this.#name}#${this.#drawn}`).digest();
    return digest.readUInt32BE() / 2 ** 32;
  }

  /** An integer from 0 to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** True in this part of all cases, such as 0.25. */
  chance(part: number): boolean {
    return this.next() < part;
  }

  /** One of several. Throws when there is none. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }
}
