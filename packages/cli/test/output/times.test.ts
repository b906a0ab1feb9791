import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import type { OutputOptions } from '../../src/input/options';
import { chooseTimes, formatRelative, formatTimes } from '../../src/output/times';
import { aContext } from '../helpers/a-context';
import { FakeStream } from '../helpers/fake-stream';
import { BareService } from '../helpers/minimal-service';
import { aDeliveryRecord, aWebhook } from '../helpers/webhook-builders';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const createdAt = '2026-11-21T09:30:09.394Z';
const screen = { columns: 100 };

function times(options: Partial<OutputOptions> = {}, env: Record<string, string> = {}) {
  const context = aContext({
    stdout: new FakeStream(screen),
    env: { TZ: 'Asia/Kolkata', ...env },
    now: () => now,
  });
  return chooseTimes({ output: 'table', ...options }, context);
}

describe('formatRelative', () => {
  it.each([
    [0, 'now'],
    [-1, '1 sec ago'],
    [-59.9, '59 sec ago'],
    [-180, '3 min ago'],
    [25, 'in 25 sec'],
    [-7_200, '2 hr ago'],
    [3_600, 'in 1 hr'],
    [-86_400, '1 day ago'],
    [-29 * 86_400, '29 days ago'],
    [-70 * 86_400, '2 mo ago'],
    [-800 * 86_400, '2 yr ago'],
  ])('shows %s s as %s', (seconds, shown) => {
    expect(formatRelative(now + seconds * 1_000, now)).toBe(shown);
  });
});

describe('a time on a terminal', () => {
  it('is relative in a list, and local with its offset and its age alone', () => {
    expect(times()?.inRow(createdAt)).toBe('29 min ago');
    expect(times()?.alone(createdAt)).toBe('2026-11-21 15:00:09 +05:30 (29 min ago)');
  });

  it('has one style everywhere with --time, or TRADEPOST_TIME', () => {
    const local = times({ time: 'local' });
    expect(local?.inRow(createdAt)).toBe('2026-11-21 15:00:09');
    expect(local?.alone(createdAt)).toBe('2026-11-21 15:00:09 +05:30');
    expect(times({ time: 'relative' })?.alone(createdAt)).toBe('29 min ago');
    expect(times({ time: 'iso' })).toBeNull();
    expect(times({}, { TRADEPOST_TIME: 'iso' })).toBeNull();
    expect(times({ time: 'relative' }, { TRADEPOST_TIME: 'iso' })).not.toBeNull();
  });

  it('is in UTC with --utc, in lists too', () => {
    const utc = times({ utc: true });
    expect(utc?.inRow(createdAt)).toBe('2026-11-21 09:30:09 UTC');
    expect(utc?.alone(createdAt)).toBe('2026-11-21 09:30:09 UTC (29 min ago)');
  });

  it('follows daylight saving time, and TZ in a form that only the system knows', () => {
    const paris = times({ time: 'local' }, { TZ: 'Europe/Paris' });
    expect(paris?.alone('2026-07-01T12:00:00Z')).toBe('2026-07-01 14:00:00 +02:00');
    expect(paris?.alone('2026-12-01T12:00:00Z')).toBe('2026-12-01 13:00:00 +01:00');
    expect(times({ time: 'local' }, { TZ: 'UTC' })?.alone(createdAt)).toBe(
      '2026-11-21 09:30:09 +00:00',
    );
    expect(times({ time: 'local' }, { TZ: 'CET-1CEST,M3' })?.alone(createdAt)).toMatch(
      /^2026-11-2\d \d\d:\d\d:09 [+-]\d\d:\d\d$/,
    );
  });

  it('stays as it is if it is none', () => {
    expect(times()?.alone('2026-13-41T99:00:00Z')).toBe('2026-13-41T99:00:00Z');
  });

  it('is found in a sentence', () => {
    expect(formatTimes(`It expires at ${createdAt}. (2026-11-21)`, () => 'then')).toBe(
      'It expires at then. (2026-11-21)',
    );
  });
});

describe('times in the output', () => {
  const setting = { now: () => now, env: { TZ: 'Asia/Kolkata' } };

  async function aService(): Promise<BareService> {
    const service = await BareService.start();
    service.orders = [anOrder({ createdAt, updatedAt: createdAt })];
    return service;
  }

  const get = ['orders', 'get', anOrder().id];

  it('are for people on a terminal', async () => {
    const service = await aService();
    const list = await service.cli(['orders', 'list'], { ...setting, screen });
    expect(list.stdout).toMatch(/ 29 min ago\b/);
    const one = await service.cli(get, { ...setting, screen });
    expect(one.stdout).toContain('createdAt  2026-11-21 15:00:09 +05:30 (29 min ago)\n');
    const narrowed = await service.cli(['orders', 'list', '--fields', 'createdAt', '--utc'], {
      ...setting,
      screen,
    });
    expect(narrowed.stdout).toBe('CREATED\n2026-11-21 09:30:09 UTC\n');
  });

  it.each(['json', 'ndjson', 'csv'])(
    'are ISO 8601 UTC in %s, on a terminal too',
    async (output) => {
      const service = await aService();
      const argv = [...get, '--output', output, '--time', 'relative', '--utc'];
      expect((await service.cli(argv, { ...setting, screen })).stdout).toContain(createdAt);
    },
  );

  it('are ISO 8601 UTC on a pipe, whatever the options say', async () => {
    const service = await aService();
    for (const argv of [get, ['orders', 'list']]) {
      const { stdout } = await service.cli([...argv, '--time', 'local'], {
        ...setting,
        env: { ...setting.env, TRADEPOST_TIME: 'relative' },
      });
      expect(stdout).toContain(createdAt);
    }
  });

  it('are local in explanations, and the JSON has those of the service', async () => {
    const service = await BareService.start();
    const delivery = aDeliveryRecord({ state: 'pending', nextAttemptAt: '2026-11-21T10:05:00Z' });
    service.instead = ({ path }) => ({
      status: 200,
      body: { data: path.startsWith('/v1/deliveries/') ? delivery : aWebhook() },
    });
    const argv = ['webhooks', 'explain', delivery.id];
    const { stdout } = await service.cli(argv, { ...setting, screen: { columns: 300 } });
    expect(stdout).toContain('The next one is at 2026-11-21 15:35:00 +05:30 (in 5 min).');
    expect(stdout).toContain('\n11. 2026-11-22 14:59:45  500');
    const json = await service.cli([...argv, '--output', 'json'], { ...setting, screen });
    expect(JSON.parse(json.stdout).reason).toContain('The next one is at 2026-11-21T10:05:00Z.');
  });

  it.each([
    [['--time', 'today'], {}, /Option '--time <style>' argument 'today' is invalid/],
    [[], { TRADEPOST_TIME: 'today' }, /TRADEPOST_TIME has the invalid value 'today'/],
  ])('need a valid style: %j %j', async (options, env, message) => {
    const service = await aService();
    const { exitCode, stdout, stderr } = await service.cli([...get, ...options], {
      env,
      screen: { columns: 300 },
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/relative, local, iso/);
    expect(service.seen).toEqual([]);
  });
});
