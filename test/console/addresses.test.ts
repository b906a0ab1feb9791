import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findOrderId } from '../helpers/seed';
import { useConsole } from './open-console';
import { expectOwnMarkup } from './own-markup';

const site = useConsole();
const noPage = 'There is no such page';
const noOrder = 'There is no such order';
/** Fails as a fault of the page if the browser runs it: see `recordFaults`. */
const script = '<script>console.error(1)</script><img src=x onerror=console.error(2)>';

/** Addresses below the console, and what each has to show. */
const hostile: [path: string, shown: string][] = [
  [`orders?listing=${script}`, 'Listing: must be a listing ID'],
  [`orders?sort=constructor&status=__proto__`, 'Status: must be one of'],
  ['deliveries?from=javascript:console.error(1)', 'From: must be a time'],
  ['events?type=toString', 'Type: must be one of'],
  [`orders/${encodeURIComponent(script)}`, noOrder],
  ['orders/javascript:console.error(1)', noOrder],
  [`orders/${encodeURIComponent('https://evil.example')}`, noOrder],
  [`orders/${encodeURIComponent('\\\\evil.example')}`, noOrder],
  ['orders/%00', noOrder],
  [`orders/${'x'.repeat(5_000)}`, noOrder],
  // Not a request to another endpoint.
  [`orders/${encodeURIComponent('../notifications')}`, '(got "../notifications")'],
  [`deliveries/${encodeURIComponent('../../../docs')}`, '(got "../../../docs")'],
  ['/evil.example', noPage],
  ['//evil.example/', noPage],
  [`${script}/`, noPage],
  ['a/b/c/d/e/f/g', noPage],
  ['%252e%252e/%252e%252e', noPage],
  ['webhooks/__proto__/constructor', noPage],
  ['developer/constructor', noPage],
  // The service itself says these: no page is that deep, and no path has that escape.
  [`${'x/'.repeat(40)}y`, 'route_not_found'],
  ['orders/%E0%A4%A', 'invalid percent-encoding'],
];

/** Expects that a page is still one of the console, and has only what it may have. */
async function expectSafe(page: Page, path: string): Promise<void> {
  expect(new URL(page.url()).origin, path).toBe(new URL(site.server.url).origin);
  await expectOwnMarkup(page, path);
}

test('a hostile address gets a clear page, runs nothing and leads nowhere else', async () => {
  for (const status of [400, 404, 422]) site.expectStatus(status);
  const page = await site.signIn('seller');
  for (const [path, shown] of hostile) {
    await page.goto(`${site.server.url}/console/${path}`);
    await page.getByText(shown).first().waitFor();
    await expectSafe(page, path);
    if (shown === noPage) await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  }
});

test('an order is shown whatever the rest of its address says', async () => {
  const id = findOrderId(site.seeded.seed, 'pending');
  const page = await site.signIn('seller');
  for (const rest of [
    '?at="],*',
    `?at=${script}`,
    '?at=*#attempt-"],a[',
    '#attempt-%',
    '#main:has(',
  ]) {
    await page.goto(`${site.server.url}/console/orders/${id}${rest}`);
    await page.getByText('Created by the buyer').waitFor();
    await expectSafe(page, rest);
    // The next address differs in its fragment alone, which would load nothing.
    await page.goto('about:blank');
  }
});

test('a link with an invalid code says so, and another one in the same tab signs in', async () => {
  site.expectStatus(401);
  const page = await site.openPage(await site.openWindow());
  for (const code of ['%', script, '__proto__']) {
    await page.goto('about:blank');
    await page.goto(`${site.server.url}/console/sign-in#${code}`);
    await page.getByText('Could not sign you in').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await expectSafe(page, code);
  }
  await page.goto(await site.createLink('seller'));
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(page.url()).toBe(`${site.server.url}/console/`);
});

test('an API key signs in where a link could not', async () => {
  site.expectStatus(401);
  const page = await site.openPage(await site.openWindow());
  await page.goto(`${site.server.url}/console/sign-in?next=//evil.example#used`);
  await page.getByText('This sign-in code is not valid').waitFor();
  await page.getByLabel('Or use an API key').fill(site.seeded.seller.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(page.url()).toBe(`${site.server.url}/console/`);
});

/** What belongs to the seller, and must not be shown to another account. */
let others: { order: string; webhook: string; delivery: string; event: string; url: string };

beforeAll(async () => {
  const client = site.client('seller');
  const url = `${site.server.url}/none/of-the-seller`;
  const { id: webhook = '' } = await client.webhooks.create({ url, events: ['order.created'] });
  const delivery = await client.webhooks.test(webhook, { event: 'order.created' });
  const order = findOrderId(site.seeded.seed, 'pending');
  others = { order, webhook, delivery: delivery.id, event: delivery.eventId, url };
});

test('an ID of another account shows no detail, neither by address nor by palette', async () => {
  site.expectStatus(404);
  const page = await site.signIn('stranger');
  const { order, webhook, delivery, event, url } = others;
  const { seller, seed } = site.seeded;
  const listing = seed.listings[0]?.id ?? '';
  const paths: [path: string, shown: string][] = [
    [`orders/${order}`, noOrder],
    [`orders/${order}?at=${event}`, noOrder],
    ...['health', 'deliveries', 'settings', 'rotate'].map((part): [string, string] => [
      `webhooks/${webhook}/${part}`,
      'There is no such webhook',
    ]),
    [`deliveries/${delivery}#attempt-1`, 'There is no such delivery'],
    [`deliveries?order=${order}`, 'No delivery matches'],
    [`deliveries?event=${event}`, 'No delivery matches'],
    [`deliveries?webhook=${webhook}`, 'No delivery matches'],
    [`events?order=${order}`, 'No event matches'],
    [`orders?listing=${listing}`, 'No order matches'],
    [`orders?seller=${seller.id}`, 'No order matches'],
  ];
  for (const [path, shown] of paths) {
    await page.goto(`${site.server.url}/console/${path}`);
    await page.getByText(shown).waitFor();
    const text = await page.getByRole('main').textContent();
    for (const detail of [url, seller.name, ...seed.listings.map(({ title }) => title)]) {
      expect(text, path).not.toContain(detail);
    }
  }
  for (const [id, entry, shown] of [
    [order, 'Order', noOrder],
    [webhook, 'Webhook', 'There is no such webhook'],
    [delivery, 'Delivery', 'There is no such delivery'],
  ] as const) {
    await page.keyboard.press('ControlOrMeta+k');
    await page
      .getByLabel('A page, an ID, a name or a URL')
      .fill(`javascript:console.error("${id}")`);
    await page.getByRole('option', { name: `${entry} ${id}`, exact: true }).click();
    await page.getByText(shown).waitFor();
  }
});
