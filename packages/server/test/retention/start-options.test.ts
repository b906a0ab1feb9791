import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/commands/operator-error';
import { readRetention, type StartOptions, startOptions } from '../../src/commands/start-options';
import { resolveRetention } from '../../src/retention/retention';
import { startServer } from '../../src/runtime/server';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { CapturedLog } from '../helpers/captured-log';

function option(flag: string) {
  const found = startOptions.find(({ long }) => long === flag);
  if (found === undefined) throw new Error(`there is no ${flag}`);
  return found;
}

describe('among the retention options', () => {
  test.each([
    ['--keep-deliveries', 'TRADEPOST_KEEP_DELIVERIES', 30],
    ['--keep-events', 'TRADEPOST_KEEP_EVENTS', 30],
    ['--keep-notifications', 'TRADEPOST_KEEP_NOTIFICATIONS', 90],
    ['--keep-audit-log', 'TRADEPOST_KEEP_AUDIT_LOG', 400],
    // Its default depends on the previous option.
    ['--keep-unread-notifications', 'TRADEPOST_KEEP_UNREAD_NOTIFICATIONS', undefined],
  ])('%s can be set in the environment by %s too, and defaults to %s days', (flag, env, days) => {
    const { envVar, defaultValue, parseArg } = option(flag);
    expect([envVar, defaultValue]).toEqual([env, days]);
    expect(parseArg?.('365', days)).toBe(365);
    for (const text of ['0', '-1', '1.5', 'a week', '', '9999999']) {
      expect(() => parseArg?.(text, days)).toThrow('It must be an integer from');
    }
  });

  test('--disable-after takes days, and 0 or never', () => {
    const { envVar, defaultValue, parseArg } = option('--disable-after');
    expect([envVar, defaultValue]).toEqual(['TRADEPOST_DISABLE_AFTER', 3]);
    expect(['7', '0', 'never'].map((text) => parseArg?.(text, 3))).toEqual([7, 0, 0]);
    expect(() => parseArg?.('soon', 3)).toThrow('It must be an integer from 0 to 3650.');
  });

  test('the retention of deliveries is longer than their retry window', () => {
    const { parseArg } = option('--keep-deliveries');
    expect(() => parseArg?.('1', undefined)).toThrow('It must be an integer from 2 to 3650.');
    expect(parseArg?.('2', undefined)).toBe(2);
  });

  test('unread notifications are kept for 180 days by default, and never for a shorter time than read ones', () => {
    expect(resolveRetention()).toEqual({
      deliveries: 30,
      events: 30,
      notifications: 90,
      unreadNotifications: 180,
      auditLog: 400,
    });
    expect(resolveRetention({ notifications: 365 })).toMatchObject({ unreadNotifications: 365 });
    const same = { notifications: 7, unreadNotifications: 7 };
    expect(resolveRetention(same)).toMatchObject(same);
  });

  test('a shorter time for unread notifications is rejected, and the error names both flags', () => {
    const days = { keepDeliveries: 30, keepEvents: 30, keepNotifications: 90 };
    const options = { ...days, keepUnreadNotifications: 89 } as StartOptions;
    expect(() => readRetention(options)).toThrow(UsageError);
    expect(() => readRetention(options)).toThrow(
      '--keep-unread-notifications (89) must not be less than --keep-notifications (90)',
    );
    expect(readRetention({ ...options, keepUnreadNotifications: 90 })).toMatchObject({
      unreadNotifications: 90,
    });
    expect(readRetention({ ...days, keepNotifications: 200 } as StartOptions)).toMatchObject({
      unreadNotifications: 200,
    });
  });

  test('an embedded server with a shorter time for unread notifications does not start', async () => {
    const store = openSqliteStore(':memory:');
    const starting = startServer({
      store,
      log: new CapturedLog().log,
      port: 0,
      host: '127.0.0.1',
      rateLimit: 100,
      retention: { notifications: 10, unreadNotifications: 9 },
    });
    await expect(starting).rejects.toThrow(
      'retention.unreadNotifications (9 days) must not be shorter than retention.notifications (10 days).',
    );
    await store.close();
  });
});
