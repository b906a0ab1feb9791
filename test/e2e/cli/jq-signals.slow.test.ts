import { platform } from 'node:process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { anOrder } from '../../helpers/an-order';
import { startHttpServer } from '../../helpers/loopback';
import { readCpuSeconds } from '../../helpers/process-usage';
import { startCli } from '../../helpers/run-cli';

/** Starts `orders list` with an expression that has no end, and waits until jq has run for some time. */
async function startEndlessFilter(cpuSeconds: number) {
  const { url, close } = await startHttpServer((_, response) => {
    const body = { data: [anOrder()], nextCursor: null };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  onTestFinished(close);
  const env = { TRADEPOST_BASE_URL: url, TRADEPOST_API_KEY: 'tpk_any' };
  const running = startCli(['orders', 'list', '--jq', 'last(range(1e12))'], env);
  const hasRun = () => expect(readCpuSeconds(running.pid ?? 0)).toBeGreaterThan(cpuSeconds);
  await vi.waitFor(hasRun, { timeout: 30_000, interval: 50 });
  return running;
}

describe.runIf(platform === 'linux')('an expression of --jq that has no end', () => {
  it('ends at Ctrl-C that comes early, with a report or by the signal', async () => {
    const running = await startEndlessFilter(0.8);
    const { code, signal, stdout, stderr } = await running.stop('SIGINT');
    expect(stdout).toBe('');
    if (signal === null) {
      expect(code).toBe(130);
      expect(stderr).toContain('"code":"interrupted"');
    } else {
      expect(signal).toBe('SIGINT');
    }
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends at %s', async (signal) => {
    const running = await startEndlessFilter(3);
    expect(await running.stop(signal)).toMatchObject({ code: null, signal, stdout: '' });
  });
});
