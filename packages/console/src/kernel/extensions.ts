import type { Extension } from '@tradepost/sdk';
import { useSyncExternalStore } from 'react';

let known: ReadonlySet<string> | null = null;
const listeners = new Set<() => void>();

/**
 * Remembers what a response lists in `Tradepost-Extensions`.
 *
 * @param list Null if the response has no list, as those of a service without extensions, and error pages of proxies.
 */
export function noteExtensions(list: string | null, status: number, contentType: string): void {
  const isOfService = list !== null || (status < 300 && contentType.includes('json'));
  // A path or a parameter that does not exist says it too, as long as nothing better is known.
  const isHint = known === null && (status === 400 || status === 404);
  if (!isOfService && !isHint) return;
  const names = new Set((list ?? '').split(/[\s,]+/).filter(Boolean));
  if (known !== null && names.size === known.size && [...names].every((name) => known?.has(name)))
    return;
  known = names;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Returns whether the service has an extension of the API; true until it has responded.
 *
 * @param name Null for what needs none.
 */
export function useExtension(name: Extension | null): boolean {
  const names = useSyncExternalStore(subscribe, () => known);
  return name === null || names === null || names.has(name);
}
