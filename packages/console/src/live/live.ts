import type { QueryClient } from '@tanstack/react-query';
import type { AccountEvent, Tradepost } from '@tradepost/sdk';
import { isSignedOut } from '../kernel/client';
import { basePath } from '../kernel/location';
import { countShownRequests, type Kind, refresh } from '../kernel/queries';

/** The names of the lock and the channel of the tabs that show one account. */
const getName = (account: string | undefined) => `tradepost.events:${basePath}:${account ?? ''}`;
/** How often a page without the log of events asks for what it shows, in milliseconds. */
const pollMs = 10_000;
/** The shortest time between two refreshes, for each request that a refresh sends, in milliseconds. */
const refreshMs = 1_000;
/** Up to how long a refresh waits, in milliseconds. */
const spreadMs = 500;

/** What may be older than what the service has. The tab that follows the log of events tells the others. */
interface Outdated {
  /** Null: all. */
  kinds: readonly Kind[] | null;
  /** Only what was read before this time, in milliseconds. */
  before: number;
}

/** What may have changed because of an event. */
function affected(event: AccountEvent): readonly Kind[] {
  const always = ['events', 'notifications', 'deliveries', 'summary'] as const;
  if (event.event === 'webhook.disabled') return [...always, 'webhooks'];
  return [...always, 'orders', 'timeline'];
}

/** What events may have changed that this page did not get. */
const missedUntilNow = (): Outdated => ({ kinds: null, before: Date.now() });

function join(one: Outdated, other: Outdated): Outdated {
  return {
    kinds: one.kinds && other.kinds && [...new Set([...one.kinds, ...other.kinds])],
    before: Math.max(one.before, other.before),
  };
}

/**
 * Returns a function that refreshes a moment later, and no more often than once a second, with all that came meanwhile: a change of
 * many orders is as many events, each of which would request every list again. The moment is random, because an event reaches all who
 * look at an order at once, and their requests would arrive together.
 *
 * @param countRequests How many requests a refresh sends, one after the other. The next refresh waits as many seconds. Otherwise a list
 * of ten pages would cause ten requests a second.
 */
export function throttle(
  refreshNow: (what: Outdated) => void,
  { countRequests = (): number => 1, random = Math.random } = {},
): (what: Outdated) => void {
  let last = Number.NEGATIVE_INFINITY;
  let waiting: Outdated | null = null;
  function flush() {
    if (waiting === null) return;
    const what = waiting;
    waiting = null;
    last = Date.now();
    refreshNow(what);
  }
  return (what) => {
    if (waiting !== null) {
      waiting = join(waiting, what);
      return;
    }
    waiting = what;
    const earliest = last + refreshMs * countRequests();
    setTimeout(flush, Math.max(0, earliest - Date.now()) + random() * spreadMs);
  };
}

/**
 * Keeps what is shown up to date: one tab of the browser follows the log of events and tells the others. Six tabs that wait for
 * responses over HTTP/1.1 would leave no connection for a seventh. Hidden tabs do nothing; when they are looked at again, they ask.
 *
 * @param account The ID of the account whose events they are: tabs of another one follow theirs.
 * @returns A function that stops it.
 */
export function startLive(
  client: Tradepost,
  queries: QueryClient,
  { account, hasEvents }: { account: string | undefined; hasEvents: boolean },
): () => void {
  const stopped = new AbortController();
  const name = getName(account);
  const channel = new BroadcastChannel(name);
  const update = throttle(
    ({ kinds, before }) => {
      if (document.hidden || stopped.signal.aborted) return;
      void refresh(queries, kinds, before);
    },
    { countRequests: () => countShownRequests(queries) },
  );
  const tell = (what: Outdated) => {
    channel.postMessage(what);
    update(what);
  };
  channel.onmessage = ({ data }: MessageEvent<Outdated>) => update(data);

  let visit: AbortController | undefined;
  function start() {
    visit?.abort();
    if (document.hidden || stopped.signal.aborted) return;
    visit = new AbortController();
    const { signal } = visit;
    // Plain HTTP beyond this machine has no locks.
    if (hasEvents && 'locks' in navigator)
      void lead(name, (one) => follow(client, tell, one), signal);
    else void poll(() => update(missedUntilNow()), signal);
  }
  function onVisibility() {
    start();
    update(missedUntilNow());
  }
  document.addEventListener('visibilitychange', onVisibility);
  start();
  return () => {
    stopped.abort();
    visit?.abort();
    document.removeEventListener('visibilitychange', onVisibility);
    channel.close();
  };
}

/** Does something while this tab has the lock, until the signal aborts. */
async function lead(
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  // Rejects if the signal aborts before this tab gets the lock.
  await navigator.locks.request(name, { signal }, () => work(signal)).catch(() => undefined);
}

/** Follows the log of events until the signal aborts or the session ends. */
async function follow(
  client: Tradepost,
  tell: (what: Outdated) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const options = { from: 'now', reconnectTimeout: Number.MAX_SAFE_INTEGER } as const;
      // Nobody followed before, or another tab until it was closed.
      let missed: Outdated | null = missedUntilNow();
      for await (const { data: events } of client.events.follow(options, { signal }).pages()) {
        if (missed !== null) tell(missed);
        missed = null;
        if (events.length > 0) {
          tell({ kinds: events.flatMap(affected), before: Number.POSITIVE_INFINITY });
        }
      }
    } catch (error) {
      if (isSignedOut(error)) return;
      await wait(pollMs, signal);
    }
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    function end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}

async function poll(ask: () => void, signal: AbortSignal): Promise<void> {
  for (;;) {
    await wait(pollMs, signal);
    if (signal.aborted) return;
    ask();
  }
}
