import { Tradepost } from '@tradepost/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';
import { createConnection } from '../../src/client/connection';
import { followResiliently } from '../../src/client/follow';
import { aContext } from '../helpers/a-context';
import { FakeStream } from '../helpers/fake-stream';
import { anEvent } from '../helpers/webhook-builders';

type Reply = 'away' | 'rejected' | 'nothing yet' | number;

/** A service that responds to requests for events with these, one after the other, and then with no events. */
async function serviceOf(replies: readonly Reply[]) {
  const queries: Record<string, string>[] = [];
  const interrupt = new AbortController();
  let last = 0;
  const server = await startHttpServer((request, response) => {
    const reply = replies[queries.length];
    const url = new URL(request.url ?? '', 'http://service');
    queries.push(Object.fromEntries(url.searchParams));
    if (reply === 'away') return void response.writeHead(503).end();
    if (reply === 'rejected') return void response.writeHead(401).end();
    if (reply === undefined && url.searchParams.has('waitSeconds')) interrupt.abort();
    if (reply !== undefined) last = reply === 'nothing yet' ? last + 1 : reply;
    const data = typeof reply === 'number' ? [anEvent(reply)] : [];
    const hasMore = reply !== undefined;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data, nextCursor: `c${last}`, hasMore }));
  });
  onTestFinished(() => server.close());
  const client = new Tradepost({ baseUrl: server.url, apiKey: 'tpk_x', wait: async () => {} });
  return { queries, client, interrupt };
}

/** Follows until the service has nothing more, or it fails. */
async function follow(replies: readonly Reply[], reconnectTimeout = 300) {
  const { queries, client, interrupt } = await serviceOf(replies);
  const stderr = new FakeStream();
  let time = 0;
  const context = aContext({
    stderr,
    signal: interrupt.signal,
    now: () => time,
    wait: async (milliseconds) => {
      time += milliseconds;
    },
  });
  const connection = createConnection(reconnectTimeout, context);
  const from = { since: '2026-11-21T00:00:00.000Z' };
  const ids: string[] = [];
  let error: unknown = null;
  try {
    for await (const { data } of followResiliently(client, { from, connection }, context)) {
      ids.push(...data.map(({ id }) => id));
    }
  } catch (thrown) {
    error = thrown;
  }
  return { ids, error, queries, said: stderr.text.split('\n').slice(0, -1) };
}

describe('following events', () => {
  it('requests what there is at once, and then waits for more', async () => {
    const { ids, queries } = await follow([1, 2]);
    expect(ids).toEqual(['evt_1', 'evt_2']);
    expect(queries).toEqual([
      { since: '2026-11-21T00:00:00.000Z' },
      { after: 'c1' },
      { after: 'c2' },
      { after: 'c2', waitSeconds: '10' },
    ]);
  });

  it('does not wait after a page without events if more may follow', async () => {
    const { ids, queries } = await follow(['nothing yet', 2]);
    expect(ids).toEqual(['evt_2']);
    expect(queries.map(({ waitSeconds }) => waitSeconds)).toEqual([
      undefined,
      undefined,
      undefined,
      '10',
    ]);
  });

  it('continues after the last page once the service is reachable again, and does not wait first', async () => {
    const { ids, said, error, queries } = await follow([1, 'away', 'away', 2]);
    expect({ ids, error }).toEqual({ ids: ['evt_1', 'evt_2'], error: null });
    expect(queries.slice(1, 4)).toEqual([{ after: 'c1' }, { after: 'c1' }, { after: 'c1' }]);
    expect(said).toEqual([
      expect.stringMatching(/503.* Retrying for up to 5 minutes\.$/),
      'Reconnected.',
    ]);
  });

  it('gives up if the service stays unreachable', async () => {
    const { ids, said, error } = await follow([1, 'away', 'away', 'away', 'away'], 3);
    expect(ids).toEqual(['evt_1']);
    expect(said).toHaveLength(1);
    expect(error).toMatchObject({ status: 503 });
  });

  it.each([
    ['that rejects the key', [1, 'rejected', 2], 300],
    ['that is away, when it is told to wait for nothing', [1, 'away', 2], 0],
  ] as const)('does not wait for a service %s', async (_, replies, reconnectTimeout) => {
    const { queries, said, error } = await follow(replies, reconnectTimeout);
    expect(error).toBeInstanceOf(Error);
    expect(said).toEqual([]);
    expect(queries).toHaveLength(2);
  });

  it('leaves a service that was never there to the retries of the client', async () => {
    const { ids, queries, said, error } = await follow(['away', 'away', 'away', 'away', 1]);
    expect({ ids, said }).toEqual({ ids: [], said: [] });
    expect(error).toMatchObject({ status: 503 });
    expect(queries).toHaveLength(4);
  });
});
