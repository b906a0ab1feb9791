import { describe, expect, test } from 'vitest';
import {
  type AccountEvent,
  type FollowEventsOptions,
  ServerError,
  type StreamOutage,
} from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import {
  hang,
  json,
  problem,
  reset,
  type Step,
  scriptedService,
} from '../helpers/scripted-service';

const anEvent = (id: string) => ({
  id,
  event: 'order.status_changed',
  createdAt: '2026-11-21T09:30:00.000Z',
  data: { orderId: 'ord_1', previousStatus: 'pending', status: 'fulfilling' },
});
const pageResponse = (ids: string[], nextCursor: string, hasMore?: boolean): Step =>
  json(200, { data: ids.map(anEvent), nextCursor, hasMore });

async function takeEvents(...steps: Step[]) {
  const service = await scriptedService(...steps);
  const client = createTestClient(service);
  return { ...client, urls: () => service.seen.map(({ url }) => url) };
}

/** Takes some events from a stream, and ends it. */
async function take(count: number, feed: AsyncIterable<AccountEvent>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of feed) if (ids.push(id) === count) break;
  return ids;
}

describe('a list of events', () => {
  test('continues until a page is empty, because no page is the last', async () => {
    const { events, urls } = await takeEvents(
      pageResponse(['evt_1', 'evt_2'], 'c1'),
      pageResponse(['evt_3'], 'c2'),
      pageResponse([], 'c2'),
    );
    const ids = (await events.list({ limit: 2 }).toArray({ limit: 99 })).map(({ id }) => id);
    expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(urls()).toEqual([
      '/v1/events?limit=2',
      '/v1/events?limit=2&after=c1',
      '/v1/events?limit=2&after=c2',
    ]);
  });

  test('continues past pages without events, as long as the service says that more may follow', async () => {
    const { events, urls } = await takeEvents(
      pageResponse([], 'c1', true),
      pageResponse(['evt_1'], 'c2', false),
    );
    const list = events.list({ type: 'order.status_changed' });
    expect(await list.toArray({ limit: 99 })).toHaveLength(1);
    const query = '/v1/events?type=order.status_changed';
    expect(urls()).toEqual([query, `${query}&after=c1`]);
  });

  test('that repeats its cursor without events is an error too if more may follow', async () => {
    const { events } = await takeEvents(pageResponse([], 'c1', true));
    const error = await catchTradepostError(events.list().toArray({ limit: 99 }));
    expect(error.code).toBe('contract_mismatch');
  });

  test('starts at since, and then continues from page to page', async () => {
    const { events, urls } = await takeEvents(
      pageResponse(['evt_1'], 'c1'),
      pageResponse([], 'c1'),
    );
    const since = '2026-11-21T09:30:00Z';
    expect(await events.list({ since }).toArray({ limit: 99 })).toHaveLength(1);
    expect(urls()).toEqual(['/v1/events?since=2026-11-21T09%3A30%3A00Z', '/v1/events?after=c1']);
  });

  test('sends after and since if the caller passes both, so that the service says that they contradict', async () => {
    const { events, urls } = await takeEvents(problem(422, 'validation_failed'));
    const since = new Date('2026-11-21T09:30:00Z');
    const error = await catchTradepostError(events.list({ after: 'c1', since }));
    expect(error.code).toBe('validation_failed');
    expect(urls()).toEqual(['/v1/events?after=c1&since=2026-11-21T09%3A30%3A00.000Z']);
  });

  test('that starts now is empty, and has the cursor of the end', async () => {
    const { events, urls } = await takeEvents(pageResponse([], 'c9'));
    expect(await events.list({ after: 'now', waitSeconds: 30 })).toMatchObject({
      nextCursor: 'c9',
    });
    expect(urls()).toEqual(['/v1/events?after=now']);
  });

  test('from the newest on goes back page by page, past pages without events', async () => {
    const back = (ids: string[], previousCursor: string | null) =>
      json(200, { data: ids.map(anEvent), nextCursor: `after_${ids.at(-1)}`, previousCursor });
    const steps = [back(['evt_3', 'evt_4'], 'p1'), back([], 'p2'), back(['evt_1', 'evt_2'], null)];
    const { events, urls } = await takeEvents(...steps);
    const list = events.latest({ limit: 2, type: 'order.status_changed' });
    const ids = (await list.toArray({ limit: 99 })).map(({ id }) => id);
    expect(ids).toEqual(['evt_4', 'evt_3', 'evt_2', 'evt_1']);
    const query = '/v1/events?type=order.status_changed&tail=2';
    expect(urls()).toEqual([query, `${query}&before=p1`, `${query}&before=p2`]);
  });

  test('from the newest on has the position after its newest event', async () => {
    const { events } = await takeEvents(
      json(200, { data: [anEvent('evt_1')], nextCursor: 'n1', previousCursor: 'p1' }),
      json(200, { data: [anEvent('evt_1')], nextCursor: 'n1' }),
    );
    expect(await events.latest()).toMatchObject({ nextCursor: 'p1', after: 'n1' });
    // A service that ignores `tail` has listed the first events.
    const error = await catchTradepostError(events.latest());
    expect(error.code).toBe('invalid_response');
  });

  test('has one of them by its ID', async () => {
    const { events, urls } = await takeEvents(json(200, { data: anEvent('evt_1') }));
    expect(await events.get('evt_1')).toEqual(anEvent('evt_1'));
    expect(urls()).toEqual(['/v1/events/evt_1']);
  });

  test('of one order sends its ID with each page', async () => {
    const { events, urls } = await takeEvents(
      pageResponse(['evt_1'], 'c1'),
      pageResponse([], 'c1'),
      pageResponse(['evt_2'], 'c2'),
    );
    expect(await events.list({ orderId: 'ord_1' }).toArray({ limit: 99 })).toHaveLength(1);
    expect(await take(1, events.follow({ orderId: 'ord_1', after: 'c1' }))).toEqual(['evt_2']);
    expect(urls()).toEqual([
      '/v1/events?orderId=ord_1',
      '/v1/events?orderId=ord_1&after=c1',
      '/v1/events?orderId=ord_1&after=c1',
    ]);
  });

  test('that is awaited is one page, with a next cursor', async () => {
    const { events, urls } = await takeEvents(pageResponse([], 'c7', true));
    const page = { data: [], nextCursor: 'c7', hasMore: true };
    expect(await events.list({ after: 'c7' })).toEqual(page);
    expect(urls()).toEqual(['/v1/events?after=c7']);
  });

  test('needs a next cursor in every response', async () => {
    const { events } = await takeEvents(json(200, { data: [], nextCursor: null }));
    expect((await catchTradepostError(events.list())).code).toBe('invalid_response');
  });

  test('that repeats its cursor with events is an error, not an endless loop', async () => {
    const { events } = await takeEvents(pageResponse(['evt_1'], 'c1'));
    const error = await catchTradepostError(events.list().toArray({ limit: 99 }));
    expect(error.code).toBe('contract_mismatch');
  });

  test('passes through an unknown event type', async () => {
    const newer = { ...anEvent('evt_1'), event: 'order.archived', data: { by: 'usr_1' } };
    const { events } = await takeEvents(json(200, { data: [newer], nextCursor: 'c1' }));
    const [event] = await events.list().toArray({ limit: 1 });
    expect(event).toEqual(newer);
  });
});

describe('an event stream', () => {
  test('that starts now asks for its position before it waits, so that another attempt misses nothing', async () => {
    const { events, urls } = await takeEvents(
      problem(503, 'overloaded'),
      pageResponse([], 'c9'),
      pageResponse(['evt_1'], 'c10'),
    );
    expect(await take(1, events.follow({ from: 'now' }))).toEqual(['evt_1']);
    expect(urls()).toEqual([
      '/v1/events?after=now',
      '/v1/events?after=now',
      '/v1/events?after=c9&waitSeconds=25',
    ]);
  });

  test('starts after a stored position, and now if there is none', async () => {
    const { events, urls } = await takeEvents(pageResponse(['evt_1'], 'c2'));
    await take(1, events.follow({ after: 'c1', from: 'now' }));
    expect(urls()).toEqual(['/v1/events?after=c1']);
  });

  test('throws once events after its cursor are no longer stored, and does not try again', async () => {
    const { events, urls } = await takeEvents(
      pageResponse(['evt_1'], 'c1'),
      problem(410, 'cursor_expired'),
    );
    const error = await catchTradepostError(take(2, events.follow()));
    expect(error).toMatchObject({ code: 'cursor_expired', status: 410 });
    expect(urls()).toHaveLength(2);
  });

  test('sends nothing until it is iterated', async () => {
    const { events, urls } = await takeEvents(pageResponse(['evt_1'], 'c1'));
    const feed = events.follow();
    expect(urls()).toEqual([]);
    expect(await take(1, feed)).toEqual(['evt_1']);
  });

  test('waits at the service for new events, and never ends by itself', async () => {
    const { events, urls } = await takeEvents(
      pageResponse(['evt_1'], 'c1'),
      pageResponse([], 'c1'),
      pageResponse([], 'c1'),
      pageResponse(['evt_2'], 'c2'),
    );
    expect(await take(2, events.follow({ since: '2026-11-21' }))).toEqual(['evt_1', 'evt_2']);
    // What there is comes at once.
    expect(urls()).toEqual([
      '/v1/events?since=2026-11-21',
      '/v1/events?after=c1',
      '/v1/events?waitSeconds=25&after=c1',
      '/v1/events?waitSeconds=25&after=c1',
    ]);
  });

  test('yields pages with a cursor to save, and can start from it', async () => {
    const { events, urls } = await takeEvents(
      pageResponse([], 'c1'),
      pageResponse(['evt_1'], 'c2'),
    );
    const places: string[] = [];
    for await (const { data, nextCursor } of events.follow({ after: 'c0', limit: 5 }).pages()) {
      places.push(nextCursor);
      if (data.length > 0) break;
    }
    expect(places).toEqual(['c1', 'c2']);
    expect(urls()[0]).toBe('/v1/events?after=c0&limit=5');
  });

  test('polls a service that does not wait at most once a second', async () => {
    const { events, waits } = await takeEvents(
      pageResponse([], 'c1'),
      pageResponse([], 'c1'),
      pageResponse([], 'c1'),
      pageResponse(['evt_1'], 'c2'),
      pageResponse(['evt_2'], 'c3'),
    );
    await take(2, events.follow({ waitSeconds: 0 }));
    expect(waits).toEqual([1_000, 1_000]);
  });

  test('continues at once after a page without events if more may follow', async () => {
    const { events, waits, urls } = await takeEvents(
      pageResponse([], 'c1', true),
      pageResponse(['evt_1'], 'c2', false),
    );
    expect(await take(1, events.follow({ type: 'order.status_changed' }))).toEqual(['evt_1']);
    expect(waits).toEqual([]);
    expect(urls()).toHaveLength(2);
  });

  test('adds no pause to a wait that the service has made', async () => {
    const service = await scriptedService(
      pageResponse([], 'c1'),
      (response, request) => {
        client.pass(25_000);
        pageResponse([], 'c1')(response, request);
      },
      pageResponse(['evt_1'], 'c2'),
    );
    const client = createTestClient(service);
    expect(await take(1, client.events.follow())).toEqual(['evt_1']);
    expect(client.waits).toEqual([]);
  });

  test('adds the wait to timeout and deadline', async () => {
    const empty = pageResponse([], 'c1');
    const service = await scriptedService(empty, hang, empty, pageResponse(['evt_1'], 'c1'));
    const { events } = createTestClient(service);
    const limits = { timeout: 50, deadline: 60_000 };
    const error = await catchTradepostError(
      take(1, events.follow({ waitSeconds: 0.05, reconnectTimeout: 0 }, limits)),
    );
    expect(error.message).toContain('within 100 ms');
    expect(await take(1, events.follow({ waitSeconds: 25 }, limits))).toEqual(['evt_1']);
  });

  test('accepts the longest possible timeout', async () => {
    const { events } = await takeEvents(pageResponse(['evt_1'], 'c1'));
    const longest = 2 ** 31 - 1;
    const feed = events.follow({}, { timeout: longest, deadline: longest });
    expect(await take(1, feed)).toEqual(['evt_1']);
  });

  test('throws when its signal aborts, as a list does, whatever it is doing', async () => {
    const stop = new AbortController();
    const service = await scriptedService(pageResponse(['evt_1'], 'c1'), (response, request) => {
      stop.abort();
      hang(response, request);
    });
    const { events } = createTestClient(service);
    const { signal } = stop;
    const aborted = { name: 'AbortError', code: 'aborted' };
    expect(await catchTradepostError(take(9, events.follow({}, { signal })))).toMatchObject(
      aborted,
    );
    expect(service.seen).toHaveLength(2);
    expect(await catchTradepostError(take(9, events.follow({}, { signal })))).toMatchObject(
      aborted,
    );
    expect(await catchTradepostError(take(9, events.list({}, { signal })))).toMatchObject(aborted);
    expect(service.seen).toHaveLength(2);
  });

  test('throws between two requests too', async () => {
    const stop = new AbortController();
    const service = await scriptedService(pageResponse([], 'c1'));
    const { events } = createTestClient(service, { wait: async () => stop.abort() });
    const feed = events.follow({}, { signal: stop.signal });
    expect(await catchTradepostError(take(9, feed))).toMatchObject({ name: 'AbortError' });
    expect(service.seen).toHaveLength(2);
  });

  test('fails when the service repeats its cursor with events', async () => {
    const { events, urls } = await takeEvents(
      json(200, { data: [anEvent('evt_1')], nextCursor: 'c1' }, { 'X-Request-Id': 'req_7' }),
    );
    const error = await catchTradepostError(take(99, events.follow()));
    expect(error).toMatchObject({ name: 'InvalidResponseError', status: 200, requestId: 'req_7' });
    expect(error.message).toMatch(/^GET \/v1\/events returned 200, but its cursor leads back/);
    expect(urls()).toHaveLength(2);
  });

  test('leaves its first request to the retries of any call', async () => {
    const { events, urls } = await takeEvents(problem(503, 'shutting_down'));
    expect(await catchTradepostError(take(1, events.follow()))).toBeInstanceOf(ServerError);
    expect(urls()).toHaveLength(4);
  });
});

describe('an event stream during an outage', () => {
  const down = problem(503, 'shutting_down');

  /** Takes events until the stream throws, with what it says about outages. */
  async function follow(steps: Step[], options: FollowEventsOptions = {}) {
    const { events, urls, waits } = await takeEvents(...steps);
    const outages: StreamOutage[] = [];
    const ids: string[] = [];
    const onOutage = (outage: StreamOutage) => outages.push(outage);
    const error = await catchTradepostError(
      (async () => {
        for await (const { id } of events.follow({ ...options, onOutage })) ids.push(id);
      })(),
    );
    return { ids, error, outages, urls: urls(), waits };
  }

  test('continues after the last page once the service responds, and does not wait first', async () => {
    const { ids, error, outages, urls } = await follow([
      ...[pageResponse(['evt_1'], 'c1'), pageResponse([], 'c1')],
      ...[reset, down, pageResponse(['evt_2'], 'c2'), problem(410, 'cursor_expired')],
    ]);
    expect({ ids, code: error.code }).toEqual({ ids: ['evt_1', 'evt_2'], code: 'cursor_expired' });
    expect(urls).toEqual([
      '/v1/events',
      '/v1/events?after=c1',
      '/v1/events?waitSeconds=25&after=c1',
      '/v1/events?after=c1',
      '/v1/events?after=c1',
      '/v1/events?after=c2',
    ]);
    expect(outages).toEqual([
      expect.objectContaining({ state: 'waiting', failures: 1, remainingMs: 300_000 }),
      expect.objectContaining({ state: 'waiting', failures: 2 }),
      { state: 'over', failures: 2 },
    ]);
    const codes = outages.map((outage) => outage.state === 'waiting' && outage.error.code);
    expect(codes).toEqual(['connection_failed', 'shutting_down', false]);
  });

  test('waits twice as long after each failure, up to 15 s, and throws when its time is over', async () => {
    const { ids, error, outages, waits } = await follow([pageResponse(['evt_1'], 'c1'), down], {
      reconnectTimeout: 50_000,
    });
    expect(ids).toEqual(['evt_1']);
    expect(error).toMatchObject({ status: 503 });
    // Nearly the longest: the shortest are half of these.
    const rounded = waits.map((wait) => Math.round(wait / 1_000));
    expect(rounded).toEqual([1, 2, 4, 8, 15, 15, 5]);
    expect(waits.reduce((sum, wait) => sum + wait)).toBeCloseTo(50_000);
    expect(outages.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('waits as long as Retry-After says, unless that is too long', async () => {
    const busy = problem(429, 'rate_limited', { 'Retry-After': '20' });
    const steps = [pageResponse(['evt_1'], 'c1'), busy, pageResponse(['evt_2'], 'c2'), busy];
    const { ids, waits } = await follow(steps, { reconnectTimeout: 30_000 });
    expect(ids).toEqual(['evt_1', 'evt_2']);
    // A second one would be later than its time.
    expect(waits).toEqual([20_000, 20_000]);
  });

  test('counts each outage by itself', async () => {
    const steps = ['c1', 'c2', 'c3'].flatMap((cursor) => [pageResponse([cursor], cursor), down]);
    const { ids, waits } = await follow([...steps, problem(401, 'invalid_api_key')], {
      reconnectTimeout: 1_500,
    });
    expect(ids).toEqual(['c1', 'c2', 'c3']);
    expect(waits).toHaveLength(3);
  });

  test.each([408, 425, 429, 500, 502, 503, 504])('goes on after a %i', async (status) => {
    const steps = [pageResponse(['evt_1'], 'c1'), json(status, {}), pageResponse(['evt_2'], 'c2')];
    const { ids } = await follow([...steps, problem(401, 'invalid_api_key')]);
    expect(ids).toEqual(['evt_1', 'evt_2']);
  });

  test.each([
    ['rejects the key', problem(401, 'invalid_api_key'), undefined],
    ['is down, if it does not wait', down, 0],
  ])('ends at once when the service %s', async (_, step, reconnectTimeout) => {
    const options = reconnectTimeout === undefined ? {} : { reconnectTimeout };
    const { urls, waits, outages } = await follow([pageResponse(['evt_1'], 'c1'), step], options);
    expect({ urls: urls.length, waits, outages }).toEqual({ urls: 2, waits: [], outages: [] });
  });

  test('ends when its signal aborts', async () => {
    const stop = new AbortController();
    const service = await scriptedService(pageResponse(['evt_1'], 'c1'), down);
    const { events } = createTestClient(service, { wait: async () => stop.abort() });
    const feed = events.follow({}, { signal: stop.signal });
    expect(await catchTradepostError(take(9, feed))).toMatchObject({ code: 'aborted' });
    expect(service.seen).toHaveLength(2);
  });
});
