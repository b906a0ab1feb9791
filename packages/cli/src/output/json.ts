import type { InstantFormat } from './format';
import { harmlessJson } from './harmless';

function indented(item: unknown): string {
  return harmlessJson(JSON.stringify(item, null, 2));
}

/**
 * One JSON document: an array for a list, an object for a single thing. Whatever stops a list
 * half-way leaves the array open, so that nobody takes the part for the whole.
 */
export function jsonFormat<Item>(): InstantFormat<Item> {
  let started = false;
  return {
    part(items) {
      return items
        .map((item) => {
          const before = started ? ',\n' : '[\n';
          started = true;
          return `${before}  ${indented(item).replaceAll('\n', '\n  ')}`;
        })
        .join('');
    },
    end: () => (started ? '\n]\n' : '[]\n'),
    one: (item) => `${indented(item)}\n`,
  };
}
