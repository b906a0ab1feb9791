import { endpoints } from '@tradepost/contract/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillPath } from '../../src/http/request';

test('a path without an ID does not change', () => {
  expect(fillPath('/v1/orders', undefined)).toBe('/v1/orders');
});

test('the id goes to its place, also in the middle', () => {
  expect(fillPath('/v1/webhooks/:id/secret', 'a b')).toBe('/v1/webhooks/a%20b/secret');
});

test('what stands for something in a replacement does not in an id', () => {
  expect(fillPath('/v1/webhooks/:id/secret', "$&$'$`$$")).toBe(
    "/v1/webhooks/%24%26%24'%24%60%24%24/secret",
  );
});

test('whatever the id, the request goes to this path and the id arrives whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (id) => {
      fc.pre(!/^\.{0,2}$/.test(id));
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

test.each(['', '.', '..', undefined, null, 7, { id: 'ord_1' }])(
  'an id of %j is refused: it would lead elsewhere',
  (id) => {
    expect(() => fillPath('/v1/orders/:id', id as string)).toThrow('/v1/orders/:id needs id');
  },
);

test('no endpoint of the contract leaves anything else to fill in', () => {
  const paths = Object.values(endpoints).flatMap((group) =>
    Object.values(group).map(({ path }) => path),
  );
  expect(paths.length).toBeGreaterThan(6);
  for (const path of paths) expect(fillPath(path, 'x1')).not.toContain(':');
});
