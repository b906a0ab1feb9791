import { Tradepost } from '@tradepost/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';
import { createReconnectPolicy, followResiliently } from '../../src/client/follow';
import { aProblem } from '../helpers/minimal-service';
import { anEvent } from '../helpers/webhook-builders';

/** A service that responds to requests for events with these, one after the other. */
async function serviceOf(replies: readonly ('away' | 'overloaded' | 'rejected' | number)[]) {
  const urls: string[] = [];
  const server = await startHttpServer((request, response) => {
    const reply = replies[Math.min(urls.length, replies.length - 1)];
    urls.push(request.url ?? '');
    if (reply === 'away') return void response.writeHead(503).end();
    if (reply === 'overloaded') {
      const { status, headers, body } = aProblem(503, 'overloaded');
      return void response.writeHead(status, headers).end(JSON.stringify(body));
    }
    if (reply === 'rejected') return void response.writeHead(401).end();
    const body = { data: [anEvent(Number(reply))], nextCursor: `c${reply}` };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  onTestFinished(() => server.close());
  return { urls, client: new Tradepost({ baseUrl: server.url, apiKey: 'tpk_x', maxRetries: 0 }) };
}

/** Follows until so many events have come, or it ends. */
async function follow(client: Tradepost, count: number, reconnectTimeout: number) {
  const interrupt = new AbortController();
  const said: string[] = [];
  const ids: string[] = [];
  let time = 0;
  const following = {
    from: { since: '2026-11-21T00:00:00.000Z' },
    ...createReconnectPolicy(reconnectTimeout, (text) => said.push(text)),
  };
  // The clock advances by a second at each reading.
  const elapsed = () => (time += 1_000);
  let error: unknown = null;
  try {
    const pages = followResiliently(client, following, {
      elapsed,
      wait: async () => {},
      signal: interrupt.signal,
    });
    for await (const { data } of pages) {
      ids.push(...data.map(({ id }) => id));
      if (ids.length >= count) break;
    }
  } catch (thrown) {
    error = thrown;
  }
  return { ids, said, error };
}

describe('following events', () => {
  it('continues after the last page once the service is reachable again', async () => {
    const { urls, client } = await serviceOf([1, 'away', 'away', 2]);
    const { ids, said, error } = await follow(client, 2, 300);
    expect({ ids, error }).toEqual({ ids: ['evt_1', 'evt_2'], error: null });
    expect(urls.slice(1)).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining('after=c1')),
    );
    expect(said).toEqual([
      expect.stringMatching(/503.* Retrying for up to 5 minutes\.$/),
      'Reconnected.',
    ]);
  });

  it('continues after the service had too many requests', async () => {
    const { client } = await serviceOf([1, 'overloaded', 'overloaded', 2]);
    const { ids, said, error } = await follow(client, 2, 300);
    expect({ ids, error }).toEqual({ ids: ['evt_1', 'evt_2'], error: null });
    expect(said).toEqual([expect.stringContaining('overloaded'), 'Reconnected.']);
  });

  it('gives up if the service stays unreachable', async () => {
    const { client } = await serviceOf([1, 'away']);
    const { ids, said, error } = await follow(client, 2, 3);
    expect(ids).toEqual(['evt_1']);
    expect(said).toHaveLength(1);
    expect(error).toMatchObject({ status: 503 });
  });

  it.each([
    ['that was never there', ['away', 1], 300],
    ['that rejects the key', [1, 'rejected', 2], 300],
    ['that is away, when it is told to wait for nothing', [1, 'away', 2], 0],
  ] as const)('does not wait for a service %s', async (_, replies, reconnectTimeout) => {
    const { urls, client } = await serviceOf(replies);
    const { said, error } = await follow(client, 2, reconnectTimeout);
    expect(error).toBeInstanceOf(Error);
    expect(said).toEqual([]);
    expect(urls.length).toBeLessThan(replies.length);
  });
});
