import { describe, expect, test } from 'vitest';
import { startOptions } from '../../src/commands/start-options';

function option(flag: string) {
  const found = startOptions.find(({ long }) => long === flag);
  if (found === undefined) throw new Error(`there is no ${flag}`);
  return found;
}

describe('what is kept for how long', () => {
  test.each([
    ['--keep-deliveries', 'TRADEPOST_KEEP_DELIVERIES', 30],
    ['--keep-events', 'TRADEPOST_KEEP_EVENTS', 30],
    ['--keep-notifications', 'TRADEPOST_KEEP_NOTIFICATIONS', 90],
  ])(
    '%s can be set in the environment by %s too, and is %i days unless told',
    (flag, env, days) => {
      const { envVar, defaultValue, parseArg } = option(flag);
      expect([envVar, defaultValue]).toEqual([env, days]);
      expect(parseArg?.('365', days)).toBe(365);
      for (const text of ['0', '-1', '1.5', 'a week', '', '9999999']) {
        expect(() => parseArg?.(text, days)).toThrow('It must be an integer from');
      }
    },
  );

  test('deliveries are kept for longer than they are tried', () => {
    const { parseArg } = option('--keep-deliveries');
    expect(() => parseArg?.('1', undefined)).toThrow('It must be an integer from 2 to 3650.');
    expect(parseArg?.('2', undefined)).toBe(2);
  });
});
