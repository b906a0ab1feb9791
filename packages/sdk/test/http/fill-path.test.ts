import { endpoints } from '@tradepost/contract/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillPath } from '../../src/http/request';

test('a path without a parameter does not change', () => {
  expect(fillPath('/v1/orders', undefined)).toBe('/v1/orders');
});

test('the ID replaces its parameter, also in the middle of the path', () => {
  expect(fillPath('/v1/webhooks/:id/secret', 'a b')).toBe('/v1/webhooks/a%20b/secret');
});

test('an ID may contain the special patterns of String.replace', () => {
  expect(fillPath('/v1/webhooks/:id/secret', "$&$'$`$$")).toBe(
    "/v1/webhooks/%24%26%24'%24%60%24%24/secret",
  );
});

test('any ID arrives unchanged at the path of its route', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (id) => {
      fc.pre(id !== '' && !id.split(/[/\\]/).some((part) => /^\.{1,2}$/.test(part)));
      const { pathname, search, hash } = new URL(
        fillPath('/v1/orders/:id', id),
        'https://trade.example',
      );
      expect(pathname.startsWith('/v1/orders/')).toBe(true);
      expect(decodeURIComponent(pathname.slice('/v1/orders/'.length))).toBe(id);
      expect(search + hash).toBe('');
    }),
  );
});

test.each(['', '.', '..', '../x', 'x/..', 'x/../y', '..\\x', undefined, null, 7, { id: 'ord_1' }])(
  'an ID of %j is rejected because it would change the path',
  (id) => {
    expect(() => fillPath('/v1/orders/:id', id as string)).toThrow('/v1/orders/:id needs id');
  },
);

test('no endpoint of the contract has any other parameter', () => {
  const paths = Object.values(endpoints).flatMap((group) =>
    Object.values(group).map(({ path }) => path),
  );
  expect(paths.length).toBeGreaterThan(6);
  for (const path of paths) expect(fillPath(path, 'x1')).not.toContain(':');
});
