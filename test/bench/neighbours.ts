import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { createDatabases } from './database';
import { createFigure, type Figure } from './figure';
import type { FloodOperations, StatusResult } from './flood-process';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 3, noisy: 100, connections: 400, perSecond: 40, seconds: 8 },
  quick: { rounds: 1, noisy: 2, connections: 4, perSecond: 20, seconds: 0.3 },
};

function listRequest({ buyer }: TradingAccounts): string {
  return `GET /v1/orders HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${buyer.apiKey}\r\n\r\n`;
}

/**
 * Measures how long a client that sends little waits beside a hundred that send as much as they can, each with connections of
 * its own; against the same client alone.
 */
export async function neighbours({ environment, quick, log }: BenchContext): Promise<Figure[]> {
  const size = quick ? sizes.quick : sizes.usual;
  const spec = { urls: [], backlog: 0, orders: 0 };
  const others = Array.from({ length: size.noisy }, () => spec);
  const { crowded } = await createDatabases(environment, { crowded: [spec, ...others] });
  const program = new URL('./flood-process.ts', import.meta.url);
  const [one, crowd] = [0, 1].map(() => startBenchProcess<FloodOperations>(environment, program));
  if (!(one && crowd)) throw new Error('There are two processes.');
  const rounds = await crowded.use(async (file) => {
    const server = await startTradepostServer(environment, file);
    const [quiet, ...noisy] = crowded.trades.map(listRequest) as [string, string, ...string[]];
    const { url } = server;
    const { perSecond, seconds } = size;
    const measure = () =>
      one.call('flood', { url, requests: [quiet], connections: 4, perSecond, seconds });
    const alone = async () => ({ result: await measure(), load: '' });
    const beside = async () => {
      const target = { url, requests: noisy, connections: size.connections };
      // The crowd is there before and after.
      const load = crowd.call('saturate', { ...target, seconds: seconds + 2 });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const result = await measure();
      const { perSecond: rate, counts } = await load;
      return { result, load: `${rate.toFixed(0)} responses a second, ${JSON.stringify(counts)}` };
    };
    await measure();
    const measured = await interleave(size.rounds, { alone, beside }, log, 'neighbours');
    await server.stop();
    return measured;
  });
  await Promise.all([one.stop(), crowd.stop()]);

  const succeeded = (result: Record<number, StatusResult>) => result[200];
  const figure = (what: string, pick: (result: StatusResult | undefined) => number | undefined) =>
    createFigure({
      bench: 'neighbours',
      what: `a read of a client beside ${size.noisy} noisy ones, ${what}`,
      unit: 'ms',
      ours: rounds.beside.map(({ result }) => pick(succeeded(result)) ?? Number.NaN),
      baseline: {
        what: 'alone',
        values: rounds.alone.map(({ result }) => pick(succeeded(result)) ?? Number.NaN),
      },
      notes: rounds.beside.map(({ result, load }) => {
        const rejected = Object.entries(result).filter(([status]) => status !== '200');
        const counts = rejected.map(([status, { count }]) => `${count} × ${status}`);
        return `The crowd: ${load}; others of the client: ${counts.join(', ') || 'none'}.`;
      }),
    });
  return [figure('p50', (result) => result?.p50), figure('p99', (result) => result?.p99)];
}
