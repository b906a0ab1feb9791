import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { placeOrders } from '../helpers/place-orders';
import { startHttpReceiver } from '../helpers/start-receiver';
import { useConsole } from './open-console';

const site = useConsole();

test('a saved view leads back to its filters, from its page and from the palette', async () => {
  const page = await site.signIn('seller', 'orders?status=pending,confirmed');
  await page.getByText('Views').click();
  await page.getByLabel('Name of this view').fill('To do <b>');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).click();
  await page.getByText('6 orders').waitFor();
  await page.reload();
  await page.getByText('6 orders').waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').fill('to do');
  await page.keyboard.press('Enter');
  await page.getByText('3 orders').waitFor();
  expect(new URL(page.url()).search).toBe('?status=pending,confirmed');

  await page.getByText('Views').click();
  await page.getByRole('button', { name: 'Forget To do <b>' }).click();
  await page.getByText('None is saved.').waitFor();
  expect(await page.evaluate('localStorage["tradepost.preferences"]')).not.toContain('To do');
});

test('a period is an age that moves on, or lies between two times', async () => {
  const page = await site.signIn('seller', 'orders');
  await page.getByLabel('Created').selectOption('Last 24 hours');
  await page.waitForURL(/[?]from=24h$/);
  await page.getByText('6 orders').waitFor();
  await page.getByLabel('Created').selectOption('Between …');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(decodeURIComponent(request.url())));
  // A year is typed digit by digit, and Chromium takes six.
  await page.getByLabel('From').fill('0002-02-28T23:59');
  await page.getByLabel('From').fill('123456-02-28T23:59');
  await page.getByLabel('From').fill('2024-02-29T23:59');
  await page.waitForURL(/[?]from=2024-02-29T23:59:00Z$/);
  await page.getByLabel('Until').fill('2024-03-01T00:00');
  await page.getByText('No order matches').waitFor();
  expect(requests.filter((url) => /02-2[78]T/.test(url))).toEqual([]);
  await page.getByRole('link', { name: 'Clear the filters' }).click();
  await page.getByText('6 orders').waitFor();

  // Filters are no steps back.
  await page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }).click();
  await page.getByLabel('State').selectOption('failed');
  await page.waitForURL(/[?]state=failed$/);
  await page.goBack();
  await page.getByText('6 orders').waitFor();
  // Beyond what a time can be.
  site.expectStatus(422);
  await page.goto(`${site.server.url}/console/orders?from=-271821-04-20T00:00:00Z&to=999999w`);
  await page.getByText('Could not load the orders.').waitFor();
});

test('u leads back to the list with its filters, and c asks for the next status', async () => {
  const page = await site.signIn('seller', 'orders?status=pending');
  await page.getByRole('link', { name: /^ord_/ }).first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /^Order ord_/ }).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('dialog', { name: 'Confirm?' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('u');
  await page.waitForURL(/[/]orders[?]status=pending$/);
});

test('an ID of an event leads to it, and from there to its order', async () => {
  const [event] = (await site.client('seller').events.latest({ limit: 1 })).data;
  const page = await site.signIn('seller');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').fill(`see ${event?.id}`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: `Event ${event?.id}` }).waitFor();
  await page.getByRole('main').getByRole('link', { name: /^ord_/ }).click();
  await page.waitForURL(new RegExp(`[?]at=${event?.id}$`));
});

test('what waits for an endpoint that fails is drawn and counted, and its headers are replaced', async () => {
  const client = site.client('seller');
  const receiver = await forTest(startHttpReceiver((response) => response.writeHead(500).end()));
  const { id = '' } = await client.webhooks.create({
    url: receiver.url,
    events: ['order.created'],
  });
  const page = await site.signIn('seller', `webhooks/${id}/settings`);
  await page.getByRole('button', { name: 'Replace them' }).click();
  await page.getByLabel('Additional headers').fill('X-Gateway: let me in');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('X-Gateway', { exact: true }).waitFor();
  const { listingId } = (await client.orders.list({ limit: 1 })).data[0] ?? { listingId: '' };
  await site.client('buyer').orders.create({ listingId, quantity: 1 });

  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByText('1 delivery waits').waitFor();
  await page.getByText('Next attempts in numbers').click();
  await page
    .getByRole('row')
    .filter({ hasText: /^(now|in ).*1$/ })
    .first()
    .waitFor();
  expect(receiver.arrivals[0]?.headers['x-gateway']).toBe('let me in');
});

/** Selects the newest pending orders, and opens the dialog that changes them. */
async function selectNewest(
  page: Page,
  count: number,
): Promise<{ ids: string[]; dialog: Locator }> {
  const links = page.getByRole('link', { name: /^ord_/ });
  await links.nth(count - 1).waitFor();
  const ids = (await links.allInnerTexts()).slice(0, count);
  for (const id of ids) await page.getByRole('checkbox', { name: `Select ${id}` }).click();
  await page.getByRole('button', { name: `Change ${count} selected` }).click();
  return { ids, dialog: page.getByRole('dialog', { name: /^Change \d+ orders?$/ }) };
}

test('a change is about the order as it was when the dialog was opened', async () => {
  const client = site.client('seller');
  const [id = ''] = await placeOrders(site.seeded, 1);
  const page = await site.signIn('seller', `orders/${id}`);
  await page.getByRole('button', { name: 'Cancel order' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel order?' });
  await client.orders.update(id, { status: 'confirmed' });
  await dialog.getByText('The order was pending.').waitFor();
  await dialog.getByText('The order changed meanwhile.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Cancel order' }).isDisabled()).toBe(true);
  await dialog.getByText('As a command, in code').click();
  await dialog.getByText('--if-status pending').waitFor();
  expect((await client.orders.get(id)).status).toBe('confirmed');
});

test('a bulk change says what it did not change, and keeps nothing of it selected', async () => {
  site.expectStatus(412);
  const client = site.client('seller');
  const [, confirmed = ''] = await placeOrders(site.seeded, 3);
  await client.orders.update(confirmed, { status: 'confirmed' });
  const page = await site.signIn('seller', 'orders');
  const { ids, dialog } = await selectNewest(page, 3);
  const other = ids.find((id) => id !== confirmed) ?? '';
  await client.orders.update(other, { status: 'cancelled' });
  await dialog.getByText('As a command, in code').click();
  await dialog.getByText('none does the same for orders of several statuses').waitFor();
  await dialog.getByLabel('New status').selectOption('confirmed');
  await dialog.getByRole('button', { name: 'Change 3' }).click();
  await dialog
    .getByText('1 changed, 1 had the status already, 1 changed by others meanwhile, 0 failed')
    .waitFor();
  await dialog.getByText('Close', { exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator('[data-selected]').count()).toBe(0);
});

test('rows that another filter hides are not selected any more', async () => {
  await placeOrders(site.seeded, 2);
  const page = await site.signIn('seller', 'orders?status=pending');
  const { dialog } = await selectNewest(page, 2);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByLabel('confirmed', { exact: true }).check();
  await page.waitForURL(/status=pending,confirmed$/);
  await page.getByRole('button', { name: 'Change 2 selected' }).waitFor({ state: 'detached' });
  expect(await page.locator('[data-selected]').count()).toBe(0);
});

test('a bulk change whose session ends goes on after signing in again', async () => {
  site.expectStatus(401);
  const client = site.client('seller');
  const placed = await placeOrders(site.seeded, 6);
  const key = await client.keys.create({ name: 'for a bulk change' });
  const page = await site.openPage(await site.openWindow());
  // The change finds out that the key is revoked, not the log of events.
  await page.route(/[/]v1[/]events[?]after/, () => new Promise(() => {}));
  await page.goto(`${site.server.url}/console/orders?status=pending`);
  await page.getByLabel('Or use an API key').fill(key.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const { ids, dialog } = await selectNewest(page, 6);
  expect(ids.toSorted()).toEqual(placed.toSorted());
  await dialog.getByLabel('New status').selectOption('confirmed');
  await client.keys.revoke(key.id);
  await dialog.getByRole('button', { name: 'Change 6' }).click();
  const again = page.getByRole('dialog', { name: 'Your session is over' });
  await again.getByLabel('Or use an API key').fill(site.seeded.seller.apiKey);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.waitFor({ state: 'detached' });
  await dialog.getByText('0 changed, 0 changed by others meanwhile, 0 failed, 6 left.').waitFor();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('6 changed, 0 changed by others meanwhile, 0 failed, 0 left.').waitFor();
});
