import type { SyncFormat } from './format';
import { escapeControlCharsInJson } from './text';

/**
 * Creates the format for one JSON document: an array for a list, an object for a single item. If a list
 * fails half-way the array stays open, so that the part is not mistaken for the whole.
 */
export function createJsonFormat<Item>(): SyncFormat<Item> {
  const indent = (item: unknown) => escapeControlCharsInJson(JSON.stringify(item, null, 2));
  let started = false;
  return {
    formatItems(items) {
      return items
        .map((item) => {
          const before = started ? ',\n' : '[\n';
          started = true;
          return `${before}  ${indent(item).replaceAll('\n', '\n  ')}`;
        })
        .join('');
    },
    end: () => (started ? '\n]\n' : '[]\n'),
    formatItem: (item) => `${indent(item)}\n`,
  };
}

/** Creates the format for one JSON object per line, for a list and for a single item alike. */
export function createNdjsonFormat<Item>(): SyncFormat<Item> {
  const formatItem = (item: Item) => `${escapeControlCharsInJson(JSON.stringify(item))}\n`;
  return {
    formatItems: (items) => items.map(formatItem).join(''),
    end: () => '',
    formatItem,
  };
}
