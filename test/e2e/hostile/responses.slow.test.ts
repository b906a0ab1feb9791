import { fileURLToPath } from 'node:url';
import { Tradepost } from '@tradepost/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import {
  anyHostileResponse,
  type HostileResponse,
  sendHostileResponse,
} from '../../helpers/hostile-response';
import { readCpuSeconds } from '../../helpers/process-usage';
import { registerWebhook } from '../../helpers/register-webhook';
import { runCli } from '../../helpers/run-cli';
import { startFaultyReceiver } from '../../helpers/start-faulty-receiver';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';

/** What one response may cost, in milliseconds of processor time, whatever its bytes are. */
const maxCpuMs = 10;

const end = (...texts: string[]): HostileResponse => ({
  pieces: texts.map((text) => Buffer.from(text)),
  ending: 'end',
});
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
/** Statuses that HTTP does not have, and what a library asserts about a response. */
const malformed = [
  end('HTTP/1.1 000 X\r\n\r\n'),
  end('HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n'),
  end('HTTP/1.1 101\r\n\r\n'),
  end('HTTP/1.1 101 X\r\n\r\n', ok),
  end('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n', 'bytes'),
  end('HTTP/1.1 102 X\r\n\r\n', 'HTTP/1.1 000 X\r\n\r\n'),
];

/** Registers one webhook for each response, places an order, and waits until all are recorded. Returns the attempts' errors. */
async function deliverTo(
  { server, buyer, seed }: SeededServer,
  responses: readonly HostileResponse[],
): Promise<{ cpuMs: number; errors: (string | null)[] }> {
  const client = new Tradepost({ baseUrl: server.url, apiKey: buyer.apiKey });
  const ids: string[] = [];
  for (const response of responses) {
    const { url } = await forTest(
      startFaultyReceiver((socket) => sendHostileResponse(socket, response)),
    );
    ids.push((await registerWebhook(client, { url, events: ['order.created'] })).id);
  }
  const cpuBefore = readCpuSeconds(server.pid ?? 0);
  await client.orders.create({ listingId: seed.listings[0]?.id ?? '', quantity: 1 });
  const errors: (string | null)[] = [];
  for (const id of ids) {
    const line = new RegExp(`{[^\n]*"webhookId":"${id}"[^\n]*"attempt"}`);
    errors.push(JSON.parse((await server.writes(line, 'stderr'))[0]).error);
  }
  const cpuMs = (readCpuSeconds(server.pid ?? 0) - cpuBefore) * 1_000;
  for (const id of ids) await client.webhooks.delete(id);
  return { cpuMs, errors };
}

describe('the engine of the shipped program', () => {
  it('spends milliseconds on a response, whatever its bytes are', async () => {
    const seeded = await forTest(startSeededServer(['--log-level', 'debug']));
    const count = 20;
    const usual = Array.from({ length: count }, () => end(ok));
    // The code is compiled first.
    await deliverTo(seeded, usual);
    const { cpuMs: usualCpuMs } = await deliverTo(seeded, usual);
    const known = await deliverTo(seeded, malformed);
    expect(known.errors).toEqual(malformed.map(() => 'malformed_response'));
    expect(known.cpuMs - usualCpuMs).toBeLessThan(malformed.length * maxCpuMs);

    const responses = fc.array(anyHostileResponse('end', 'end', 'reset'), {
      minLength: count,
      maxLength: count,
    });
    await fc.assert(
      fc.asyncProperty(responses, async (batch) => {
        const { cpuMs, errors } = await deliverTo(seeded, batch);
        expect(cpuMs - usualCpuMs).toBeLessThan(count * maxCpuMs);
        for (const error of errors) expect(error ?? '').not.toMatch(/^unexpected/);
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  it.each([100, 102, 103])(
    'skips a response with %i before the real one',
    async (status) => {
      const seeded = await forTest(startSeededServer(['--log-level', 'debug']));
      const informational = `HTTP/1.1 ${status} Word\r\n\r\n`;
      const { errors } = await deliverTo(seeded, [
        end(informational, ok),
        end(informational + ok),
        end(informational.repeat(3), ok),
      ]);
      expect(errors).toEqual([null, null, null]);
    },
    60_000,
  );
});

/** Returns the processor time that the CLI needs for a bulk change of orders at a service that responds so, in milliseconds. */
async function changeAt(response: HostileResponse): Promise<{ cpuMs: number; requests: number }> {
  const service = await forTest(
    startFaultyReceiver((socket) => sendHostileResponse(socket, response)),
  );
  const ids = Array.from({ length: 40 }, (_, index) => `ord_${String(index).padStart(26, '0')}`);
  const { stderr } = await runCli(
    [
      'orders',
      'set-status',
      ...ids,
      'confirmed',
      '--yes',
      '--no-journal',
      '--reconnect-timeout',
      '0',
    ],
    {
      TRADEPOST_BASE_URL: service.url,
      TRADEPOST_API_KEY: 'tpk_any',
      NODE_OPTIONS: `--require ${fileURLToPath(new URL('../../helpers/report-cpu.cjs', import.meta.url))}`,
    },
  );

  const [, cpu] = /^processor time: (\d+) ms$/m.exec(stderr) ?? [];
  return { cpuMs: Number(cpu), requests: service.connections() };
}

/** How often a run that took too long is measured. A machine that is busy or slow for a while only adds to it. */
const maxMeasurements = 4;

it('the shipped CLI spends milliseconds on a response, whatever its bytes are', async () => {
  for (const response of malformed) {
    for (let measurement = 1; ; measurement += 1) {
      // The same run without a byte of a response.
      const { cpuMs: usual } = await changeAt({ pieces: [], ending: 'reset' });
      const { cpuMs, requests } = await changeAt(response);
      expect(requests).toBeGreaterThan(0);
      const limit = 200 + requests * maxCpuMs;
      if (cpuMs - usual >= limit && measurement < maxMeasurements) continue;
      expect(cpuMs - usual, String(response.pieces[0])).toBeLessThan(limit);
      break;
    }
  }
}, 120_000);
