import { useState } from 'react';
import type { Selection } from './list';

/**
 * Keeps which rows are selected, as they were when they were selected.
 *
 * @param list What the list shows, such as its filters: rows of another list, which nobody sees, are not selected.
 */
export function useSelection<Row extends { id: string }>(
  rows: readonly Row[],
  list: string,
): Selection<Row> & { rows: readonly Row[]; remove: (ids: readonly string[]) => void } {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [last, setLast] = useState<string | null>(null);
  const [shown, setShown] = useState(list);
  if (shown !== list) {
    setShown(list);
    setSelected(new Map());
  }
  return {
    rows: [...selected.values()],
    isSelected: ({ id }) => selected.has(id),
    toggle(row, through) {
      const next = new Map(selected);
      const at = rows.findIndex(({ id }) => id === row.id);
      const from = through ? rows.findIndex(({ id }) => id === last) : -1;
      if (from !== -1) {
        for (const one of rows.slice(Math.min(from, at), Math.max(from, at) + 1)) {
          next.set(one.id, one);
        }
      } else if (!next.delete(row.id)) {
        next.set(row.id, row);
      }
      setSelected(next);
      setLast(row.id);
    },
    setAll(all, isSelected) {
      const next = new Map(selected);
      for (const row of all) {
        if (!isSelected) next.delete(row.id);
        // One that is selected stays as it was seen.
        else if (!next.has(row.id)) next.set(row.id, row);
      }
      setSelected(next);
      setLast(null);
    },
    remove(ids) {
      setSelected(new Map([...selected].filter(([id]) => !ids.includes(id))));
    },
    name: ({ id }) => id,
  };
}
