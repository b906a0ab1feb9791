import { isAccepted, listIn } from '../../service/call';
import { besideData, family, type Trial, Unclear } from './trial';

/** The result of following `nextCursor`. */
interface Walk {
  ids: unknown[];
  /** The last `nextCursor`. */
  end: unknown;
  /** The size of the largest page. */
  largest: number;
}

const maxPages = 30;

/** Follows the cursors of a list to its end, or for thirty pages. `between` runs after the first page. */
async function walk(trial: Trial, list: string, between?: () => Promise<unknown>): Promise<Walk> {
  const ids: unknown[] = [];
  let largest = 0;
  let cursor: unknown;
  for (let page = 1; ; page += 1) {
    const start = cursor === undefined ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
    const call = await trial.accepted('buyer', `GET ${list}${start}`);
    const items = listIn(call);
    ids.push(...items.map(({ id }) => id));
    largest = Math.max(largest, items.length);
    cursor = besideData(call, 'nextCursor');
    if (typeof cursor !== 'string' || page === maxPages) return { ids, end: cursor, largest };
    if (page === 1) await between?.();
  }
}

/** The IDs of a list's first page of 100, and a page size with which a walk has these on about ten pages. */
async function snapshot(trial: Trial, list: string) {
  const call = await trial.accepted('buyer', `GET ${list}limit=100`);
  const ids = listIn(call).map(({ id }) => id);
  const isLong = typeof besideData(call, 'nextCursor') === 'string';
  return { ids, isLong, limit: Math.max(1, Math.ceil(ids.length / 10)) };
}

/** Requires that a walk has each record that was there before, and none twice. */
function expectOnce(trial: Trial, known: unknown[], { ids }: Walk): void {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  trial.expect(twice === undefined, `${twice} is on two pages.`);
  const missing = known.find((id) => !ids.includes(id));
  trial.expect(missing === undefined, `${missing} is on no page.`);
}

export const paging = family({
  isOffered: ({ names }) => names.has('paging'),
  shownBy: 'paging in Tradepost-Extensions',
  async prepare(trial) {
    for (let count = 0; count < 3; count += 1) await trial.order();
    const first = await snapshot(trial, '/v1/orders?');
    return { ...first, walked: await walk(trial, `/v1/orders?limit=${first.limit}`) };
  },
  checks: [
    {
      id: 'CUR-1',
      title: 'Pages orders and notifications without repeating or losing one',
      method:
        'Follows nextCursor of GET /v1/orders and GET /v1/notifications. Fails if one comes twice or is on no page.',
      async judge(trial, { ids, walked }) {
        expectOnce(trial, ids, walked);
        await trial.change(await trial.order());
        const notifications = await snapshot(trial, '/v1/notifications?');
        const found = await walk(trial, `/v1/notifications?limit=${notifications.limit}`);
        expectOnce(trial, notifications.ids, found);
      },
    },
    {
      id: 'CUR-2',
      title: 'Returns null as the last nextCursor, and no page larger than its limit',
      method:
        'Follows nextCursor to the end. Fails if the last one is not null, or a page is too large.',
      async judge(trial, { walked, limit, isLong }) {
        trial.expect(walked.largest <= limit, `A page of ${limit} has ${walked.largest} orders.`);
        const { end } = isLong ? await walk(trial, '/v1/orders?limit=100') : walked;
        if (isLong && typeof end === 'string') throw new Unclear('The list is too long to read.');
        trial.expect(end === null, `The last nextCursor is ${JSON.stringify(end)}.`);
      },
    },
    {
      id: 'CUR-3',
      title: 'Pages orders without repeating or losing one when another one is created meanwhile',
      method: 'Creates an order after the first page. Fails if an order is repeated or on no page.',
      async judge(trial) {
        const { ids, limit } = await snapshot(trial, '/v1/orders?');
        const found = await walk(trial, `/v1/orders?limit=${limit}`, () => trial.order());
        expectOnce(trial, ids, found);
      },
    },
    {
      id: 'CUR-4',
      title: 'Keeps the filter over all pages',
      method:
        'Follows nextCursor with status=pending. Fails if a page has an order with another status.',
      async judge(trial) {
        const { limit } = await snapshot(trial, '/v1/orders?status=pending&');
        const before = trial.calls.length;
        await walk(trial, `/v1/orders?status=pending&limit=${limit}`);
        const others = trial.calls
          .slice(before)
          .flatMap(listIn)
          .filter(({ status }) => status !== 'pending');
        trial.expect(others.length === 0, `An order on a page is ${others[0]?.status}.`);
      },
    },
    {
      id: 'CUR-5',
      title: 'Rejects a cursor that it did not create',
      method: 'Sends an invented text as cursor. Fails if it is accepted.',
      async judge(trial) {
        await trial.rejected('buyer', 'GET /v1/orders?limit=1&cursor=invented-by-the-kit');
      },
    },
    {
      id: 'CUR-6',
      hides: true,
      title: 'Returns no order of another account for its cursor',
      method:
        "Sends the buyer's nextCursor with the stranger's key. Fails if an order of the buyer comes back.",
      async judge(trial) {
        const page = await trial.accepted('buyer', 'GET /v1/orders?limit=1');
        const cursor = besideData(page, 'nextCursor');
        if (typeof cursor !== 'string') throw new Unclear('The first page has no nextCursor.');
        const next = `GET /v1/orders?limit=1&cursor=${encodeURIComponent(cursor)}`;
        const own = (await trial.list('buyer', next)).map(({ id }) => id);
        const call = await trial.send('stranger', next);
        const leaked = isAccepted(call) && listIn(call).some(({ id }) => own.includes(id));
        trial.expect(!leaked, 'The stranger got an order of the buyer.');
      },
    },
  ],
});
