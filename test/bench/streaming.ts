import { once } from 'node:events';
import { cleanEnvironment } from '../helpers/clean-environment';
import { startHttpServer } from '../helpers/loopback';
import { readResidentMemory } from '../helpers/process-usage';
import { tradepostBin } from '../helpers/programs';
import type { BenchContext } from './bench-context';
import { createFigure, type Figure } from './figure';
import { listBody } from './orders-responses';
import { formatCount } from './report';

const sizes = { usual: { rounds: 3, orders: 1_000_000 }, quick: { rounds: 1, orders: 10_000 } };

/** How many orders a page has. */
const pageLength = 100;
/** The number of samples, evenly over the pages. */
const sampleCount = 100;

/**
 * Starts a service whose list has `orders` orders.
 *
 * @param onPage called before a page is sent, and awaited: after the last one, the client may exit
 */
async function startEndlessList(orders: number, onPage: (page: number) => Promise<void>) {
  const [order] = (JSON.parse(listBody.toString('utf8')) as { data: unknown[] }).data;
  const items = JSON.stringify(Array.from({ length: pageLength }, () => order));
  const last = orders / pageLength;
  return startHttpServer(async ({ url = '' }, response) => {
    const page = Number(new URL(url, 'http://service').searchParams.get('cursor') ?? 1);
    await onPage(page);
    const next = page < last ? `"${page + 1}"` : 'null';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"data":${items},"nextCursor":${next}}`);
  });
}

/** Lists all orders and samples the resident memory, in MB. */
async function measureMemory({ environment }: BenchContext, orders: number): Promise<number[]> {
  const memory: number[] = [];
  const every = Math.max(1, orders / pageLength / sampleCount);
  let pid = 0;
  const service = await startEndlessList(orders, async (page) => {
    if (page % every === 0) memory.push((await readResidentMemory(pid)) / 1e6);
  });
  const { child, readLogTail } = environment.start(
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
  await service.close();
  if (code !== 0 || lines !== orders) {
    throw new Error(`The CLI exited with ${code} after ${lines} orders.\n${readLogTail()}`);
  }
  return memory;
}

const max = (values: readonly number[]) => Math.max(...values);

/** Measures whether the memory of `orders list --all` grows while it runs. */
export async function streaming(context: BenchContext): Promise<Figure[]> {
  const { rounds, orders } = context.quick ? sizes.quick : sizes.usual;
  const runs: number[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    context.log(`round ${round} of ${rounds}`);
    runs.push(await measureMemory(context, orders));
  }
  const part = (from: number, to: number) =>
    runs.map((run) => max(run.slice(run.length * from, run.length * to)));
  return [
    createFigure({
      bench: 'streaming',
      what: `most resident memory, the last tenth of ${formatCount(orders)} orders listed as ndjson`,
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
