import { describe, expect, test } from 'vitest';
import { only, parseSearch, stringifySearch } from '../src/kernel/search';

describe('the query of an address', () => {
  test('keeps texts as they are: no number, no list and no JSON is read from it', () => {
    expect(parseSearch('?status=pending,paid&listing=1e3&read=false&x=%5B1%5D')).toEqual({
      status: 'pending,paid',
      listing: '1e3',
      read: 'false',
      x: '[1]',
    });
  });

  test('is written so that people can read lists and times', () => {
    expect(stringifySearch({ status: 'pending,paid', from: '2026-11-28T08:00:00Z' })).toBe(
      '?status=pending,paid&from=2026-11-28T08:00:00Z',
    );
  });

  test('leaves out what is empty', () => {
    expect(stringifySearch({ status: '', buyer: undefined })).toBe('');
  });

  test('survives characters that have a meaning in an address', () => {
    const search = { listing: 'a&b=c#d?e/f%20ü\u202e' };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  test('drops parameters that the page does not have', () => {
    expect(only('status')({ status: 'paid', utm_source: 'mail' })).toEqual({ status: 'paid' });
  });
});
