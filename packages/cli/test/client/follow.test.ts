import { Tradepost } from '@tradepost/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../test/helpers/loopback';
import { createConnection } from '../../src/client/follow';
import { aContext } from '../helpers/a-context';
import { FakeStream } from '../helpers/fake-stream';
import { anEvent } from '../helpers/webhook-builders';

/** An event by its number, a status, or a connection that breaks. */
type Reply = { event: number } | number | 'broken';

/** A service that responds to requests for events with these, one after the other, and then with no events. */
async function serviceOf(replies: readonly Reply[]) {
  const queries: Record<string, string>[] = [];
  const interrupt = new AbortController();
  let last = 0;
  const server = await startHttpServer((request, response) => {
    const reply = replies[queries.length];
    const url = new URL(request.url ?? '', 'http://service');
    queries.push(Object.fromEntries(url.searchParams));
    if (reply === 'broken') return void response.destroy();
    if (typeof reply === 'number') {
      return void response.writeHead(reply, { 'Retry-After': '20' }).end();
    }
    if (reply === undefined && url.searchParams.has('waitSeconds')) interrupt.abort();
    last = reply?.event ?? last;
    const data = reply === undefined ? [] : [anEvent(reply.event)];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data, nextCursor: `c${last}` }));
  });
  onTestFinished(() => server.close());
  return { queries, server, interrupt };
}

/** Follows until the service has nothing more, or it fails. */
async function follow(replies: readonly Reply[], reconnectTimeout = 300) {
  const { queries, server, interrupt } = await serviceOf(replies);
  const stderr = new FakeStream();
  const clock = { time: 0 };
  const problems: (string | null)[] = [];
  const context = aContext({ stderr, signal: interrupt.signal, now: () => clock.time });
  const wait = async (milliseconds: number) => {
    clock.time += milliseconds;
  };
  const client = new Tradepost({ baseUrl: server.url, apiKey: 'tpk_x', wait });
  const connection = createConnection(client, reconnectTimeout, context);
  const from = { since: '2026-11-21T00:00:00.000Z' };
  const ids: string[] = [];
  let error: unknown = null;
  try {
    for await (const { data } of connection.pages(from, () => {
      problems.push(connection.describeProblem());
    })) {
      ids.push(...data.map(({ id }) => id));
    }
  } catch (thrown) {
    error = thrown;
  }
  const said = stderr.text.split('\n').slice(0, -1);
  return { ids, error, queries, said, problems, connection, clock };
}

const [one, two] = [{ event: 1 }, { event: 2 }];

describe('the connection of a command that follows events', () => {
  it('waits at the service for 10 s once it has what there is, and ends on Ctrl-C', async () => {
    const { ids, error, queries } = await follow([one, two]);
    expect({ ids, error }).toEqual({ ids: ['evt_1', 'evt_2'], error: null });
    expect(queries).toEqual([
      { since: '2026-11-21T00:00:00.000Z' },
      { after: 'c1' },
      { after: 'c2' },
      { after: 'c2', waitSeconds: '10' },
    ]);
  });

  it('reports an outage once, with a countdown, and continues after the last page', async () => {
    const { ids, said, problems } = await follow([one, ...Array<Reply>(6).fill('broken'), two]);
    expect(ids).toEqual(['evt_1', 'evt_2']);
    expect(said).toEqual([
      expect.stringMatching(/connection closed.* Retrying for up to 5 minutes\.$/),
      'Reconnected.',
    ]);
    expect(problems[0]).toMatch(/^Connection failed; retrying in 1 s \(gives up in 5 min\)$/);
    expect(problems.at(-1)).toBeNull();
  });

  it('does not report a single connection that breaks', async () => {
    const { ids, said } = await follow([one, 'broken', two]);
    expect({ ids, said }).toEqual({ ids: ['evt_1', 'evt_2'], said: [] });
  });

  it('reports a limit as one', async () => {
    const { ids, said } = await follow([one, 429, 429, two]);
    expect(ids).toEqual(['evt_1', 'evt_2']);
    expect(said).toEqual(Array(2).fill('Rate limited; retrying in 20 s.'));
  });

  it('gives up if the service stays unreachable', async () => {
    const { ids, said, error } = await follow([one, ...Array<Reply>(9).fill('broken')], 3);
    expect(ids).toEqual(['evt_1']);
    expect(said).toEqual([expect.stringMatching(/Retrying for up to 3 s\.$/)]);
    expect(error).toMatchObject({ code: 'connection_failed' });
  });

  it.each([
    ['that rejects the key', [one, 401, two], 300],
    ['that is away, when it is told to wait for nothing', [one, 503, two], 0],
  ] as const)('does not wait for a service %s', async (_, replies, reconnectTimeout) => {
    const { queries, said, error } = await follow(replies, reconnectTimeout);
    expect(error).toBeInstanceOf(Error);
    expect(said).toEqual([]);
    expect(queries).toHaveLength(2);
  });

  it('leaves a service that was never there to the retries of the client', async () => {
    const { ids, queries, said, error } = await follow([...Array<Reply>(4).fill('broken'), one]);
    expect({ ids, said }).toEqual({ ids: [], said: [] });
    expect(error).toMatchObject({ code: 'connection_failed' });
    expect(queries).toHaveLength(4);
  });

  it('describes a response that is late', async () => {
    const { connection, clock } = await follow([one]);
    expect(connection.lastContact()).toBe(clock.time);
    clock.time += 11_000;
    expect(connection.describeProblem()).toBeNull();
    clock.time += 1_000;
    expect(connection.describeProblem()).toBe('no response for 12 s');
  });
});
