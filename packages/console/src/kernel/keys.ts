import { useLayoutEffect, useRef } from 'react';
import { tinykeys } from 'tinykeys';
import { usePreferences } from './preferences';

/** What keys do: by the key, `x`, `?`, `Shift+X`, `$mod+k`, or two after each other, `g o`. */
export type KeyActions = Record<string, (event: KeyboardEvent) => void>;

/** A sign. Keyboards have it in different places, many with Shift or AltGr, so what counts is what a key yields. */
const isSign = (name: string) => /^[^\w\s]$/.test(name);

/** Calls what a sign does. */
function listenToSigns(actions: Record<string, (event: KeyboardEvent) => void>): () => void {
  const onKey = (event: KeyboardEvent) => {
    // Windows reports AltGr as Ctrl and Alt.
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph');
    if (!isShortcut && Object.hasOwn(actions, event.key)) actions[event.key]?.(event);
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

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
  // Before the page is painted: a key works as soon as the page that names it is visible.
  useLayoutEffect(() => {
    const bound = names.split('\n').map((name) => {
      const isSingle = !name.includes('$mod');
      const act = (event: KeyboardEvent) => {
        if (isSingle && (!areOn || isTaken(event))) return;
        // The field of a dialog that it opens would get the same key.
        if (isSingle) event.preventDefault();
        latest.current[name]?.(event);
      };
      return [name, act] as const;
    });
    const stopSigns = listenToSigns(Object.fromEntries(bound.filter(([name]) => isSign(name))));
    const stop = tinykeys(window, Object.fromEntries(bound.filter(([name]) => !isSign(name))));
    return () => {
      stop();
      stopSigns();
    };
  }, [names, areOn]);
}
