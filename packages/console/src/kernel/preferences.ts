import { useSyncExternalStore } from 'react';

/** A list with filters, by the name that a person gave it. */
export interface SavedView {
  name: string;
  /** The path below the console, such as `/orders`. */
  page: string;
  /** The query of its address, such as `?status=pending`. */
  query: string;
}

/** What a person chose in this browser. */
export interface Preferences {
  theme: 'system' | 'light' | 'dark';
  /** How times are shown: how long ago, in the zone of the browser, or in UTC. */
  times: 'relative' | 'local' | 'utc';
  /** Whether single keys are shortcuts. Source: WCAG 2.1.4. */
  keys: boolean;
  views: readonly SavedView[];
}

const storageKey = 'tradepost.preferences';
const defaults: Preferences = { theme: 'system', times: 'relative', keys: true, views: [] };
const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(storageKey) ?? '{}') };
  } catch {
    return defaults;
  }
}

function apply(): void {
  const { dataset } = document.documentElement;
  if (current.theme === 'system') delete dataset.theme;
  else dataset.theme = current.theme;
}

/** Changes some preferences, in all tabs. */
export function changePreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(current));
  } catch {
    // Full, or forbidden: it holds for this page alone.
  }
  notify();
}

function notify(): void {
  apply();
  for (const listener of listeners) listener();
}

addEventListener('storage', ({ key }) => {
  if (key !== storageKey) return;
  current = read();
  notify();
});
apply();

/** Returns the preferences, and renders again when they change. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
