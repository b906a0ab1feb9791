import { TradepostError } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { run } from '../src/run';
import { tellRetry } from '../src/tell-retry';
import { aTerminal } from './setting/a-terminal';
import { aProblem, BareService } from './setting/bare-service';
import { FakeStream } from './setting/fake-stream';

function told(code: 'timeout' | 'connection_failed', delayMs: number): string {
  const stderr = new FakeStream();
  const error = new TradepostError(`GET /v1/orders failed: ${code}.`, { code });
  const attempt = { method: 'GET', path: '/v1/orders', attempt: 1, status: null, requestId: null };
  tellRetry({ ...attempt, error, code, delayMs }, aTerminal({ stderr }));
  return stderr.text;
}

describe('an attempt that is repeated', () => {
  it('is told of when no answer came in its time', () => {
    expect(told('timeout', 200)).toBe('GET /v1/orders failed: timeout. Trying again …\n');
  });

  it('is told of when the next is far, with the time until then', () => {
    expect(told('connection_failed', 3_200)).toBe(
      'GET /v1/orders failed: connection_failed. Trying again in 4 s …\n',
    );
  });

  it('is not told of when it failed at once and the next is near', () => {
    expect(told('connection_failed', 2_999)).toBe('');
  });
});

it('a command that waits for a service which limits says so, and can be interrupted', async () => {
  const service = await BareService.start();
  service.instead = () => {
    const { headers, ...problem } = aProblem(429, 'rate_limited');
    return { ...problem, headers: { ...headers, 'retry-after': '60' } };
  };
  const interrupt = new AbortController();
  const stderr = new FakeStream();
  const env = {
    TRADEPOST_BASE_URL: service.baseUrl,
    TRADEPOST_API_KEY: 'tpk_test',
    TRADEPOST_CONFIG_DIR: '/dev/null/config',
  };
  const argv = ['orders', 'get', 'ord_1'];
  const exitCode = run(argv, aTerminal({ stderr, env, signal: interrupt.signal }));
  await expect.poll(() => stderr.text).toContain('Trying again in 60 s …\n');
  interrupt.abort();
  expect(await exitCode).toBe(130);
  expect(stderr.text).toContain('error: interrupted\n');
});
