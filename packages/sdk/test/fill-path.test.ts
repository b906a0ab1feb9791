import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillPath } from '../src/internal/fill-path';

test('a path without parameters stays as it is', () => {
  expect(fillPath('/v1/orders', {})).toBe('/v1/orders');
});

test('each parameter goes to its place', () => {
  const path = '/v1/webhooks/:id/secret/:version';
  expect(fillPath(path, { id: 'whk_1', version: 'a b' })).toBe('/v1/webhooks/whk_1/secret/a%20b');
});

test('whatever the id, the request goes to this path and the id arrives whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (id) => {
      fc.pre(!/^\.{0,2}$/.test(id));
      const { pathname, search, hash } = new URL(
        fillPath('/v1/orders/:id', { id }),
        'https://trade.example',
      );
      expect(pathname.startsWith('/v1/orders/')).toBe(true);
      expect(decodeURIComponent(pathname.slice('/v1/orders/'.length))).toBe(id);
      expect(search + hash).toBe('');
    }),
  );
});

test.each(['', '.', '..'])('an id of %j is refused: it would lead elsewhere', (id) => {
  expect(() => fillPath('/v1/orders/:id', { id })).toThrow('/v1/orders/:id needs id');
});
