import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { toCurl } from '@tradepost/sdk/explain';
import { exampleSecret, signDelivery } from '@tradepost/sdk/testing';
import { verifyDelivery } from '@tradepost/sdk/webhooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { escapeControlChars } from '../../../src/output/text';
import { quoteWord } from '../../../src/report/hint';
import { BareService } from '../../helpers/minimal-service';
import {
  aDeliveryRecord,
  aFolder,
  anAttempt,
  aReceiver,
  aWebhook,
} from '../../helpers/webhook-builders';

/** Whether a shell and curl are there to run what is printed. */
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** What a shell makes of words: their bytes, each ended by NUL. */
function printed(words: readonly string[]): Buffer {
  const { stdout, stderr } = spawnSync('sh', ['-c', `printf '%s\\0' ${words.join(' ')}`]);
  expect(stderr.toString()).toBe('');
  return stdout;
}

async function run(line: string): Promise<string> {
  const shell = spawn('sh', { env: { PATH: process.env.PATH }, stdio: 'pipe' });
  shell.stdin.end(line);
  const [said, complaint] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  expect(complaint).toBe('');
  return said;
}

const bodies = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', '`', '!', '%', '-', '@', 'a') }),
  )
  .filter((text) => escapeControlChars(text) === text);

describe('a shell word', () => {
  it('is returned by a shell byte for byte, whatever it contains', () => {
    fc.assert(
      fc.property(fc.array(bodies, { minLength: 1, maxLength: 40 }), (texts) => {
        const expected = Buffer.from(texts.map((one) => `${one}\0`).join(''));
        expect(printed(texts.map(quoteWord))).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});

describe('the curl command', () => {
  it('is null for a request that no client can send', () => {
    const request = { url: 'http://127.0.0.1/', headers: {}, body: '' };
    expect(toCurl({ ...request, headers: { 'X-A': 'b\r\nX-C: d' } })).toBeNull();
    expect(toCurl({ ...request, headers: { 'X A': 'b' } })).toBeNull();
    for (const body of ['x'.repeat(300_000), '\0', '\u001b[31m', '\u202e']) {
      expect(toCurl({ ...request, body })).toBeNull();
    }
    for (const url of ['-o/etc/passwd', 'file:///etc/passwd', 'telnet://127.0.0.1/', 'ftp://a/b']) {
      expect(toCurl({ ...request, url })).toBeNull();
    }
  });

  it.runIf(hasCurl)('sends these headers and this body, whatever is in them', async () => {
    const receiver = await aReceiver();
    const values = fc.stringMatching(/^[ -~]*$/).map((value) => value.trim());
    await fc.assert(
      fc.asyncProperty(bodies, fc.array(values, { maxLength: 3 }), async (body, list) => {
        const headers = Object.fromEntries(list.map((value, index) => [`X-Test-${index}`, value]));
        const line = toCurl({ url: `${receiver.url}?a=[1-3]&b={x,y}`, headers, body });
        expect(await run(line ?? '')).toMatch(/^HTTP\/1.1 204/);
        const arrival = receiver.arrivals.at(-1);
        expect(arrival?.body).toEqual(Buffer.from(body));
        const { host, connection, 'content-length': length, ...others } = arrival?.headers ?? {};
        expect(others).toEqual(
          Object.fromEntries(list.map((value, index) => [`x-test-${index}`, value])),
        );
      }),
      { numRuns: 40 },
    );
  });

  it.runIf(hasCurl)(
    'is what `webhooks explain` prints: a receiver verifies it, signed again or with its original time',
    async () => {
      const receiver = await aReceiver();
      const body =
        '{"event":"order.created","createdAt":"2026-11-21T09:30:00.000Z","data":{"note":"it\'s 5 % ✓ $HOME `id`"}}';
      const sentAt = Date.now() - 3_600_000;
      const record = aDeliveryRecord({ body });
      const { headers } = await signDelivery({
        body,
        secret: exampleSecret,
        id: record.eventId,
        sentAt,
      });
      const attempts = [anAttempt({ url: receiver.url, headers })];
      const service = await BareService.start();
      service.instead = ({ path }) => ({
        status: 200,
        body: { data: path.startsWith('/v1/deliveries/') ? { ...record, attempts } : aWebhook() },
      });
      const argv = ['webhooks', 'explain', 'dlv_1', '--jq', '.curl'];
      const verified = async (now: number) => {
        const { body: payload, headers: received } = receiver.arrivals.at(-1) ?? {};
        const options = { payload: payload ?? '', headers: received, secret: exampleSecret, now };
        return await verifyDelivery({ ...options, requireTimestamp: true });
      };

      const { stdout } = await service.cli(['webhooks', 'explain', 'dlv_1', '--output', 'json']);
      await run(JSON.parse(stdout).curl);
      expect((await verified(sentAt)).id).toBe(record.eventId);
      await expect(verified(Date.now())).rejects.toMatchObject({ code: 'TIMESTAMP_TOO_OLD' });

      const file = join(await aFolder(), 'secret');
      await writeFile(file, `${exampleSecret}\n`);
      const fresh = await service.cli([...argv, '--secret-file', file]);
      await run(fresh.stdout);
      expect((await verified(Date.now())).event).toEqual(JSON.parse(body));

      const page = await service.cli(['webhooks', 'explain', 'dlv_1']);
      await run(page.stdout.slice(page.stdout.indexOf('curl -q')));
      expect(receiver.arrivals).toHaveLength(3);
      expect((await verified(sentAt)).id).toBe(record.eventId);
    },
  );
});
