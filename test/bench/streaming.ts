import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanEnvironment } from '../helpers/clean-environment';
import { tradepostBin } from '../helpers/programs';
import { readResidentMemory } from '../helpers/resident-memory';
import { type Figure, figureOf } from './figure';
import { inWords } from './in-words';
import { listBody } from './orders-responses';
import type { Stage } from './stage';

const sizes = { usual: { rounds: 3, orders: 1_000_000 }, quick: { rounds: 1, orders: 10_000 } };

/** How many orders a page has. */
const pageLength = 100;
/** Looked at each time that so many more pages were asked for, a hundred times in all. */
const looks = 100;

/** A service whose list of orders is as long as it is asked to be. */
async function startEndlessList(orders: number, onPage: (page: number) => void) {
  const [order] = (JSON.parse(listBody.toString('utf8')) as { data: unknown[] }).data;
  const items = JSON.stringify(Array.from({ length: pageLength }, () => order));
  const last = orders / pageLength;
  const server = createServer(({ url = '' }, answer) => {
    const page = Number(new URL(url, 'http://service').searchParams.get('cursor') ?? 1);
    onPage(page);
    const next = page < last ? `"${page + 1}"` : 'null';
    answer.writeHead(200, { 'content-type': 'application/json' });
    answer.end(`{"data":${items},"nextCursor":${next}}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}

/** Lists all orders, and tells the memory that it has resident from page to page, in MB. */
async function memoryOf({ place }: Stage, orders: number): Promise<number[]> {
  const memory: Promise<number>[] = [];
  const every = Math.max(1, orders / pageLength / looks);
  let pid = 0;
  const service = await startEndlessList(orders, (page) => {
    if (page % every === 0) memory.push(readResidentMemory(pid).then((bytes) => bytes / 1e6));
  });
  const { child, lastWords } = place.start(
    [tradepostBin, 'orders', 'list', '--all', '--output', 'ndjson'],
    ['ignore', 'pipe'],
    cleanEnvironment({ TRADEPOST_BASE_URL: service.url, TRADEPOST_API_KEY: 'tpk_x' }),
  );
  pid = child.pid ?? 0;
  let lines = 0;
  child.stdout?.on('data', (bytes: Buffer) => {
    for (const byte of bytes) if (byte === 10) lines += 1;
  });
  const [code] = await once(child, 'close');
  service.close();
  if (code !== 0 || lines !== orders) {
    throw new Error(`It ended with ${code} after ${lines} orders.\n${lastWords()}`);
  }
  return await Promise.all(memory);
}

const most = (values: readonly number[]) => Math.max(...values);

/** Whether `orders list --all` takes more memory the longer it goes on. */
export async function streaming(stage: Stage): Promise<Figure[]> {
  const { rounds, orders } = stage.quick ? sizes.quick : sizes.usual;
  const runs: number[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`round ${round} of ${rounds}`);
    runs.push(await memoryOf(stage, orders));
  }
  const part = (from: number, to: number) =>
    runs.map((run) => most(run.slice(run.length * from, run.length * to)));
  return [
    figureOf({
      bench: 'streaming',
      what: `most resident memory, the last tenth of ${inWords(orders)} orders listed as ndjson`,
      unit: 'MB',
      ours: part(0.9, 1),
      // By then the heap is as large as the engine lets it grow: what still rises is a leak.
      baseline: { what: 'the tenth after the half', values: part(0.5, 0.6) },
      goal: { of: 'ratio', bound: 'at most', value: 1.05 },
      notes: [
        `At a tenth of the way ${part(0, 0.1)
          .map((megabytes) => megabytes.toFixed(0))
          .join(', ')} MB.`,
      ],
    }),
  ];
}
