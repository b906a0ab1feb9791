import { expect, test } from 'vitest';
import { findEntries } from '../src/palette/entries';

const ulid = '01JZ0000000000000000000000';

test.each([
  ['ord', [`/orders/ord_${ulid}`, `/deliveries?order=ord_${ulid}`]],
  ['whk', [`/webhooks/whk_${ulid}/health`, `/deliveries?webhook=whk_${ulid}`]],
  ['dlv', [`/deliveries/dlv_${ulid}`]],
  ['evt', [`/events/evt_${ulid}`, `/deliveries?event=evt_${ulid}`]],
  ['lst', [`/orders?listing=lst_${ulid}`]],
])('an ID that begins with %s leads to %j, with other text around it too', (prefix, hrefs) => {
  const found = findEntries(`see “${prefix}_${ulid}”, please`);
  expect(found.map(({ href }) => href)).toEqual(hrefs);
});

test('words lead to the pages whose names have all of them, in any case and order', () => {
  expect(findEntries('PENDING orders').map(({ href }) => href)).toEqual(['/orders?status=pending']);
});

test('nothing leads nowhere: all pages are offered', () => {
  expect(findEntries('  ').map(({ href }) => href)).toContain('/webhooks');
});

test.each(['ord_123', 'xyz_01JZ0000000000000000000000', 'javascript:alert(1)'])(
  'no page is found for %s',
  (text) => {
    expect(findEntries(text)).toEqual([]);
  },
);
