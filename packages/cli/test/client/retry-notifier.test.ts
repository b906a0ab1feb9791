import { Tradepost, TradepostError } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { createRetryNotifier } from '../../src/client/create-client';
import { wait } from '../../src/context';
import { createLiveLine } from '../../src/output/progress';
import { run } from '../../src/program';
import { aContext } from '../helpers/a-context';
import { FakeStream } from '../helpers/fake-stream';
import { fakeTime } from '../helpers/fake-time';
import { aProblem, BareService } from '../helpers/minimal-service';

const attempt = {
  operation: 'orders.list',
  callId: 'a-1',
  method: 'GET',
  route: '/v1/orders',
  path: '/v1/orders',
  attempt: 1,
  status: null,
  requestId: null,
  durationMs: 10,
};

const aScreen = () => new FakeStream({ columns: 80 });

/** What is told of attempts that failed at these seconds, each so long before the next. */
function told(retries: { at: number; delayMs: number }[], stderr = aScreen()): string {
  let time = 0;
  const tell = createRetryNotifier(aContext({ stderr, now: () => time * 1_000 }));
  const code = 'connection_failed';
  const error = new TradepostError('It broke.', { code });
  for (const { at, delayMs } of retries) {
    time = at;
    tell({ ...attempt, error, code, delayMs });
  }
  return stderr.text;
}

it('a command that waits until the rate limit is renewed reports it, and continues', async () => {
  const service = await BareService.start();
  const ids: string[] = [];
  service.instead = ({ path }) => {
    const id = path.replace('/v1/orders/', '');
    ids.push(id);
    const ratelimit = `"requests"; r=${ids.length === 1 ? 0 : 59}; t=57`;
    return { status: 200, body: { data: anOrder({ id }) }, headers: { ratelimit } };
  };
  const stderr = aScreen();
  const env = {
    TRADEPOST_BASE_URL: service.baseUrl,
    TRADEPOST_API_KEY: 'tpk_test',
    TRADEPOST_CONFIG_DIR: '/dev/null/config',
  };
  const argv = ['orders', 'get', 'ord_1', 'ord_2', 'ord_3'];
  expect(await run(argv, aContext({ stderr, env, ...fakeTime() }))).toBe(0);
  expect(ids).toEqual(['ord_1', 'ord_2', 'ord_3']);
  expect(stderr.text).toContain('Rate limited; continuing in 58 s.\n');
});

describe('a repeated attempt', () => {
  it('is reported after a timeout, in the words of the CLI', async () => {
    const service = await BareService.start();
    service.instead = () => new Promise(() => {});
    const stderr = aScreen();
    const { orders } = new Tradepost({
      baseUrl: service.baseUrl,
      apiKey: 'tpk_test',
      timeout: 300,
      maxRetries: 1,
      hooks: { onRetry: createRetryNotifier(aContext({ stderr })) },
    });
    await expect(orders.get('ord_1')).rejects.toMatchObject({ code: 'timeout' });
    expect(stderr.text).toBe('No response in time; retrying.\n');
  });

  it('is reported with the wait if the next attempt is far off', () => {
    expect(told([{ at: 0, delayMs: 3_200 }])).toBe('Connection failed; retrying in 4 s.\n');
  });

  it('is not reported if it failed fast and the next attempt is soon', () => {
    expect(told([{ at: 0, delayMs: 2_999 }])).toBe('');
  });

  it('is reported once if stderr is not a terminal, and only if the next attempt is far off', () => {
    const retries = [0, 10, 40, 80].map((at) => ({ at, delayMs: at === 0 ? 2_000 : 30_000 }));
    expect(told(retries, new FakeStream())).toBe('Connection failed; retrying in 30 s.\n');
  });

  it('is reported at most every 25 s, however many are in progress', () => {
    const retries = [0, 1, 24, 25, 26].map((at) => ({ at, delayMs: 30_000 }));
    expect(told(retries).split('\n')).toHaveLength(3);
  });

  it('is reported on its own line if a live line is shown', () => {
    const stderr = aScreen();
    const context = aContext({ stderr });
    const line = createLiveLine(stderr);
    line.draw('1/4');
    const error = new TradepostError('It broke.', { code: 'timeout' });
    createRetryNotifier(context)({ ...attempt, error, code: 'timeout', delayMs: 0 });
    line.clear();
    expect(stderr.text).toBe('1/4\u001b[1G\u001b[2KNo response in time; retrying.\n');
  });
});

it.each([
  [429, 'rate_limited', 'Rate limited'],
  [503, 'overloaded', 'The service is overloaded'],
])(
  'a command that waits after %i %s reports it, and can be interrupted',
  async (status, code, notice) => {
    const service = await BareService.start();
    service.instead = () => {
      const { headers, ...problem } = aProblem(status, code);
      return { ...problem, headers: { ...headers, 'retry-after': '60' } };
    };
    const interrupt = new AbortController();
    const stderr = aScreen();
    const env = {
      TRADEPOST_BASE_URL: service.baseUrl,
      TRADEPOST_API_KEY: 'tpk_test',
      TRADEPOST_CONFIG_DIR: '/dev/null/config',
    };
    const argv = ['orders', 'get', 'ord_1'];
    const exitCode = run(argv, aContext({ stderr, env, wait, signal: interrupt.signal }));
    // With a part of a second, so that not all clients return at once.
    await expect.poll(() => stderr.text).toContain(`${notice}; retrying in 61 s.\n`);
    interrupt.abort();
    expect(await exitCode).toBe(130);
    expect(stderr.text).toContain('error: Interrupted\n');
  },
);
