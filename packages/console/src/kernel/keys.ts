import { useEffect, useRef } from 'react';
import { tinykeys } from 'tinykeys';
import { usePreferences } from './preferences';

/** What keys do: by the key, `$mod+k`, or two after each other, `g o`. */
export type KeyActions = Record<string, (event: KeyboardEvent) => void>;

/** Whether a key belongs to what has the focus: a text that is written, a list that is chosen from, an open dialog. */
function isTaken({ target, defaultPrevented }: KeyboardEvent): boolean {
  if (defaultPrevented || !(target instanceof Element)) return true;
  return (
    target.closest(
      'input:not([type=checkbox], [type=radio]), textarea, select, dialog, [contenteditable]',
    ) !== null
  );
}

/**
 * Makes single keys do something while a component is shown, unless the person has turned them off. Keys with Ctrl or ⌘ always work.
 * Source: WCAG 2.1.4.
 */
export function useKeys(actions: KeyActions): void {
  const { keys: areOn } = usePreferences();
  const latest = useRef(actions);
  latest.current = actions;
  const names = Object.keys(actions).join('\n');
  useEffect(() => {
    const bound = names.split('\n').map((name) => {
      const isSingle = !name.includes('$mod');
      const act = (event: KeyboardEvent) => {
        if (isSingle && (!areOn || isTaken(event))) return;
        // The field of a dialog that it opens would get the same key.
        if (isSingle) event.preventDefault();
        latest.current[name]?.(event);
      };
      return [name, act];
    });
    return tinykeys(window, Object.fromEntries(bound));
  }, [names, areOn]);
}
