import { type Call, isAccepted, type JsonObject, listIn } from '../../service/call';
import { family } from './family';
import { besideData, nextCursor, type Trial, Unclear } from './trial';

interface Walk {
  records: JsonObject[];
  /** The number of records on the largest page. */
  largest: number;
  /** The last `nextCursor`. */
  end: unknown;
}

/** Follows the cursors of a list to its end, or for thirty pages. `between` runs after the first page. */
async function walk(trial: Trial, list: string, between?: () => Promise<unknown>): Promise<Walk> {
  const pages: Call[] = [];
  let start = '';
  for (;;) {
    const page = await trial.accepted('buyer', `GET ${list}${start}`);
    pages.push(page);
    const cursor = nextCursor(page);
    if (cursor === null || pages.length === 30) {
      const largest = Math.max(...pages.map((one) => listIn(one).length));
      return { records: pages.flatMap(listIn), largest, end: besideData(page, 'nextCursor') };
    }
    start = `&cursor=${cursor}`;
    if (pages.length === 1) await between?.();
  }
}

/** The IDs of a list's first page of 100, and a page size with which a walk has these on about ten pages. */
async function snapshot(trial: Trial, list: string) {
  const call = await trial.accepted('buyer', `GET ${list}limit=100`);
  const ids = listIn(call).map(({ id }) => id);
  const limit = Math.max(1, Math.ceil(ids.length / 10));
  return { ids, limit, isLong: nextCursor(call) !== null };
}

/** Requires that a walk has each record that was there before, and none twice. */
function expectOnce(trial: Trial, known: unknown[], { records, end }: Walk): void {
  const ids = records.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  trial.expect(twice === undefined, `${twice} is on two pages.`);
  const missing = known.find((id) => !ids.includes(id));
  if (missing !== undefined && typeof end === 'string') {
    throw new Unclear('The list is too long to read.');
  }
  trial.expect(missing === undefined, `${missing} is on no page.`);
}

export const paging = family('CUR', {
  shownBy: 'paging',

  async prepare(trial) {
    for (let count = 0; count < 3; count += 1) await trial.order();
    const first = await snapshot(trial, '/v1/orders?');
    return { ...first, walked: await walk(trial, `/v1/orders?limit=${first.limit}`) };
  },

  judges: {
    async 'CUR-1'(trial, { ids, walked }) {
      expectOnce(trial, ids, walked);
      await trial.change(await trial.order());
      const notifications = await snapshot(trial, '/v1/notifications?');
      const read = await walk(trial, `/v1/notifications?limit=${notifications.limit}`);
      expectOnce(trial, notifications.ids, read);
    },
    async 'CUR-2'(trial, { walked, limit, isLong }) {
      trial.expect(walked.largest <= limit, `A page of ${limit} has ${walked.largest} orders.`);
      const { end } = isLong ? await walk(trial, '/v1/orders?limit=100') : walked;
      if (isLong && typeof end === 'string') throw new Unclear('The list is too long to read.');
      trial.expect(end === null, `The last nextCursor is ${JSON.stringify(end)}.`);
    },
    async 'CUR-3'(trial) {
      const { ids, limit } = await snapshot(trial, '/v1/orders?');
      const read = await walk(trial, `/v1/orders?limit=${limit}`, () => trial.order());
      expectOnce(trial, ids, read);
    },
    async 'CUR-4'(trial) {
      const { limit } = await snapshot(trial, '/v1/orders?status=pending&');
      const { records } = await walk(trial, `/v1/orders?status=pending&limit=${limit}`);
      const other = records.find(({ status }) => status !== 'pending');
      trial.expect(other === undefined, `An order on a page is ${other?.status}.`);
    },
    async 'CUR-5'(trial) {
      await trial.rejected('buyer', 'GET /v1/orders?limit=1&cursor=invented-by-the-kit');
    },
    async 'CUR-6'(trial) {
      const cursor = nextCursor(await trial.accepted('buyer', 'GET /v1/orders?limit=1'));
      if (cursor === null) throw new Unclear('The first page has no nextCursor.');
      const next = `GET /v1/orders?limit=1&cursor=${cursor}`;
      const own = (await trial.list('buyer', next)).map(({ id }) => id);
      const call = await trial.send('stranger', next);
      const leaked = isAccepted(call) && listIn(call).some(({ id }) => own.includes(id));
      trial.expect(!leaked, 'The stranger got an order of the buyer.');
    },
  },
});
