import { escapeControlCharsInJson } from './text';

/**
 * Creates the format for one JSON document: an array for a list, an object for a single item. If a list
 * fails half-way the array stays open, so that the part is not mistaken for the whole.
 */
export function createJsonFormat<Item>() {
  const indent = (item: unknown) => escapeControlCharsInJson(JSON.stringify(item, null, 2));
  let started = false;
  return {
    formatItems(items: readonly Item[]): string {
      return items
        .map((item) => {
          const before = started ? ',\n' : '[\n';
          started = true;
          return `${before}  ${indent(item).replaceAll('\n', '\n  ')}`;
        })
        .join('');
    },
    end: () => (started ? '\n]\n' : '[]\n'),
    formatItem: (item: Item) => `${indent(item)}\n`,
  };
}

export function createNdjsonFormat<Item>() {
  const formatItem = (item: Item) => `${escapeControlCharsInJson(JSON.stringify(item))}\n`;
  return {
    formatItems: (items: readonly Item[]) => items.map(formatItem).join(''),
    end: () => '',
    formatItem,
  };
}
