import type { Account } from '@tradepost/sdk';
import { useSyncExternalStore } from 'react';
import { basePath } from './location';

/** Who is signed in: an API key, usually that of a session, and its account. */
export interface Session {
  key: string;
  /** Null if the service does not say: it has only the seven endpoints. */
  account: Account | null;
  /** Whether the key ends with the session. One that was typed in stays what it was. */
  isOwnKey: boolean;
}

/** What the tabs of one browser tell each other. A session is never stored beyond its tab. */
type Message =
  | { type: 'wanted' }
  | { type: 'offered' | 'started'; session: Session }
  | { type: 'ended'; key: string }
  | { type: 'rejected'; key: string };

/** Another service may be on the same origin, below another path. */
const storageKey = `tradepost.session:${basePath}`;
/** How long a new tab waits for the session of another one, in milliseconds. */
const handOverMs = 250;

const channel = new BroadcastChannel(storageKey);
const listeners = new Set<() => void>();
let current = readStored();
/** The key that the service no longer accepts. What is shown stays until someone signs in again. */
let rejectedKey: string | null = null;

function readStored(): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Session | null;
  } catch {
    // Written by another version.
    return null;
  }
}

function set(session: Session | null): void {
  current = session;
  if (session === null) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, JSON.stringify(session));
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

function post(message: Message): void {
  channel.postMessage(message);
}

/** Whether a session is there and, as far as it is known, valid. */
function isValid(): boolean {
  return current !== null && current.key !== rejectedKey;
}

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.type === 'wanted') {
    if (current !== null && isValid()) post({ type: 'offered', session: current });
  } else if (data.type === 'ended') {
    if (current?.key === data.key) set(null);
  } else if (data.type === 'rejected') {
    if (current?.key === data.key) reject(data.key);
  } else if (current === null || (data.type === 'started' && isSameAccount(data.session))) {
    set(data.session);
  }
});

/** Whether a session is of the account whose pages are shown. */
function isSameAccount({ account }: Session): boolean {
  return account !== null && current?.account?.id === account.id;
}

/** Gets the session of another tab if this one has none. Ends after a moment. */
export async function adoptSession(): Promise<void> {
  if (current !== null) return;
  post({ type: 'wanted' });
  await new Promise<void>((resolve) => {
    const stop = subscribe(finish);
    const timer = setTimeout(finish, handOverMs);
    function finish() {
      stop();
      clearTimeout(timer);
      resolve();
    }
  });
}

/** Starts a session in this tab, in those that have none, and in those of the same account: they have one session together. */
export function startSession(session: Session): void {
  set(session);
  post({ type: 'started', session });
}

/** Ends the session in all tabs. */
export function endSession(): void {
  if (current === null) return;
  post({ type: 'ended', key: current.key });
  set(null);
}

/** Notes that the service no longer accepts the key: the pages of all tabs stay as they are, and ask to sign in again. */
export function noteRejectedKey(key: string): void {
  if (current?.key !== key || !isValid()) return;
  post({ type: 'rejected', key });
  reject(key);
}

function reject(key: string): void {
  rejectedKey = key;
  sessionStorage.setItem(storageKey, 'null');
  notify();
}

/** Returns whether the service ended the session of this tab, and the page was loaded again since. */
export function wasRejected(): boolean {
  return sessionStorage.getItem(storageKey) === 'null';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the session, if it is valid as far as it is known. */
export function getSession(): Session | null {
  return isValid() ? current : null;
}

/** Returns the session, and renders again when it changes. */
export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, () => current);
}

/** Returns whether the service no longer accepts the key of the session. */
export function useIsRejected(): boolean {
  return useSyncExternalStore(subscribe, () => current !== null && !isValid());
}

/** Returns whether the key may change anything. The service decides; this only hides what it would reject. */
export function useMayWrite(): boolean {
  return useSession()?.account?.key.readOnly !== true;
}
