import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { findEntries } from '../src/palette/entries';
import { listKnown } from '../src/palette/known';

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

test('what pages have shown is found by all words of a URL or of names, after the pages', () => {
  const known = [
    { text: 'Webhook https://erp.example/orders', href: '/webhooks/whk_1/health' },
    { text: 'Order ord_1: Harbour Street Café', href: '/orders/ord_1' },
  ];
  const find = (text: string) => findEntries(text, [], known).map(({ href }) => href);
  expect(find('café harbour')).toEqual(['/orders/ord_1']);
  expect(find('erp.ex')).toEqual(['/webhooks/whk_1/health']);
  expect(find('orders').at(-1)).toBe('/webhooks/whk_1/health');
  expect(find('')).not.toContain('/orders/ord_1');
  const many = Array.from({ length: 100 }, (_, at) => ({ text: 'Order', href: `/orders/${at}` }));
  expect(findEntries('order', [], many).filter(({ text }) => text === 'Order')).toHaveLength(8);
});

test('of what is remembered of the service, webhooks and orders with names are known, once each', () => {
  const queries = new QueryClient();
  const named = { id: 'ord_1', buyer: { name: 'Café' }, seller: { name: 'Growers' } };
  queries.setQueryData(['orders', {}], { pages: [{ data: [named, { id: 'ord_2' }, null, 7] }] });
  queries.setQueryData(['orders', 'one', 'ord_1'], named);
  queries.setQueryData(['webhooks', 'all'], { data: [{ id: 'whk_1', url: 'https://a.example' }] });
  queries.setQueryData(['webhooks', 'stats', 'whk_1'], { points: [] });
  queries.setQueryData(['webhooks', 'odd'], { pages: [null, 'x', { data: { id: {} } }] });
  expect(listKnown(queries)).toEqual([
    { text: 'Webhook https://a.example', href: '/webhooks/whk_1/health' },
    { text: 'Order ord_1: Café, Growers', href: '/orders/ord_1' },
  ]);
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
