import { setTimeout } from 'node:timers/promises';
import { Tradepost } from '@tradepost/sdk';
import { serveParent } from './serve-parent';

/** What a console does that shows a list and follows the log of events. */
interface Following {
  url: string;
  apiKey: string;
  /** The path that a console requests for its list. */
  path: string;
  seconds: number;
}

/** As in the console: the shortest time between two refreshes, and up to how long one waits. In milliseconds. */
const refreshMs = 1_000;
const spreadMs = 500;

/** Follows the log of events, and reads a list again after them. Returns how often it read the list. */
async function follow({ url, apiKey, path, seconds }: Following): Promise<number> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const signal = AbortSignal.timeout(seconds * 1_000);
  let read = 0;
  let isOutdated = false;
  let refreshing: Promise<void> | null = null;
  async function refresh() {
    while (isOutdated) {
      await setTimeout(Math.random() * spreadMs);
      isOutdated = false;
      const response = await fetch(url + path, { headers });
      if (!response.ok) throw new Error(`The list is a ${response.status}.`);
      await response.arrayBuffer();
      read += 1;
      await setTimeout(refreshMs);
    }
    refreshing = null;
  }
  const client = new Tradepost({ baseUrl: url, apiKey });
  try {
    for await (const { data } of client.events.follow({ from: 'now' }, { signal }).pages()) {
      if (data.length === 0) continue;
      isOutdated = true;
      refreshing ??= refresh();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await refreshing;
  return read;
}

const operations = {
  /** Sends what so many consoles send, without their pages. Returns how often all together read the list. */
  async follow({ consoles, ...following }: Following & { consoles: number }): Promise<number> {
    const counts = await Promise.all(Array.from({ length: consoles }, () => follow(following)));
    return counts.reduce((sum, count) => sum + count, 0);
  },
};

/** The operations of this process. */
export type ConsoleOperations = typeof operations;

serveParent(operations);
