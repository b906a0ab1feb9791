import { describe, expect, test } from 'vitest';
import {
  type FilterField,
  isBackwards,
  readTime,
  toArgument,
  toOptions,
  toParams,
} from '../src/kernel/filters';

const fields: readonly FilterField[] = [
  { name: 'status', param: 'status', option: '--status', kind: 'list' },
  { name: 'buyer', param: 'buyerId', option: '--buyer' },
  { name: 'from', param: 'createdAfter', option: '--since', kind: 'after' },
  { name: 'to', param: 'createdBefore', option: '--until', kind: 'time' },
  { name: 'sort', param: 'sort', option: '--sort' },
];
const now = Date.parse('2026-11-28T12:00:00Z');

describe('filters of an address', () => {
  test('become parameters of the SDK', () => {
    const values = { status: 'pending,,paid', buyer: 'usr_x', sort: '', other: 'x' };
    expect(toParams(fields, values, now)).toEqual({
      status: ['pending', 'paid'],
      buyerId: 'usr_x',
    });
  });

  test('include the time that the command includes, and exclude the one that it excludes', () => {
    expect(toParams(fields, { from: '2026-11-27T00:00:00Z', to: '1h' }, now)).toEqual({
      createdAfter: '2026-11-26T23:59:59.999Z',
      createdBefore: '2026-11-28T11:00:00.000Z',
    });
  });

  test('keep a text that is no time, for the service to reject', () => {
    expect(toParams(fields, { from: 'yesterday', to: '99999999999d' }, now)).toEqual({
      createdAfter: 'yesterday',
      createdBefore: '99999999999d',
    });
  });

  test('become options of the command, whatever their values begin with', () => {
    expect(toOptions(fields, { status: 'pending,paid', from: '24h', sort: '-createdAt' })).toEqual([
      ...['--status', 'pending,paid', '--since', '24h', '--sort=-createdAt'],
    ]);
  });

  test('become the argument of a call, which is empty without any', () => {
    expect([toArgument({}), toArgument({ buyerId: 'x"y' })]).toEqual(['', '{"buyerId":"x\\"y"}']);
  });
});

test.each([
  ['90s', '2026-11-28T11:58:30.000Z'],
  ['15m', '2026-11-28T11:45:00.000Z'],
  ['24h', '2026-11-27T12:00:00.000Z'],
  ['7d', '2026-11-21T12:00:00.000Z'],
  ['2w', '2026-11-14T12:00:00.000Z'],
  ['2026-11-28T10:00:00+02:00', '2026-11-28T08:00:00.000Z'],
])('%s is the time %s', (text, time) => {
  expect(readTime(text, now)?.toISOString()).toBe(time);
});

test.each(['-271821-04-20T00:00:00Z', '+123456-01-01T00:00:00Z', '999999w', 'yesterday'])(
  '%s is no time that an address can have',
  (text) => {
    expect(readTime(text, now)).toBe(null);
  },
);

test.each([
  [{ from: '1h', to: '2h' }, true],
  [{ from: '2h', to: '1h' }, false],
  [{ from: '2026-11-28T10:00:00Z', to: '2026-11-28T10:00:00Z' }, false],
  [{ from: 'tomorrow', to: '2w' }, false],
  [{ from: '1h' }, false],
])('%j ends before it begins: %j', (period, expected) => {
  expect(isBackwards(period, now)).toBe(expected);
});
