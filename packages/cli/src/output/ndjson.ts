import type { InstantFormat } from './format';
import { harmlessJson } from './harmless';

/** One JSON object a line, for a list and for a single thing alike. */
export function ndjsonFormat<Item>(): InstantFormat<Item> {
  const one = (item: Item) => `${harmlessJson(JSON.stringify(item))}\n`;
  return {
    part: (items) => items.map(one).join(''),
    end: () => '',
    one,
  };
}
