import Database from 'better-sqlite3';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { placeOrders } from '../helpers/place-orders';
import { registerWebhook } from '../helpers/register-webhook';
import { runServerCommand } from '../helpers/run-server-command';
import { startHttpReceiver } from '../helpers/start-receiver';
import { useConsole } from './open-console';

const site = useConsole(['--rate-limit', '100000']);

test('a saved view leads back to its filters, from its page and from the palette', async () => {
  const page = await site.signIn('seller', 'orders?status=pending,confirmed');
  await page.getByText('Views', { exact: true }).click();
  await page.getByLabel('Name of this view').fill('To do <b>');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Orders' }).click();
  await page.getByText('6 orders').waitFor();
  await page.reload();
  await page.getByText('6 orders').waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').fill('to do');
  await page.locator('[role=option][data-highlighted]', { hasText: 'To do <b>' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('3 orders').waitFor();
  expect(new URL(page.url()).search).toBe('?status=pending,confirmed');

  // What the page has shown is found by its names, without a request.
  let requests = 0;
  page.on('request', (request) => {
    if (/[/]v1[/](?!events)/.test(request.url())) requests += 1;
  });
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').pressSequentially('harbour street');
  const found = page.getByRole('option', { name: /^Order ord_.*: Harbour Street Café/ }).first();
  await found.waitFor();
  expect(requests).toBe(0);
  await found.click();
  await page.getByRole('heading', { level: 1, name: /^Order ord_/ }).waitFor();
  await page.getByRole('link', { name: 'Orders of this buyer' }).click();
  await page.waitForURL(new RegExp(`/orders[?]buyer=${site.seeded.buyer.id}$`));
  await page.getByText('6 orders').waitFor();
  expect(await page.getByRole('link', { name: 'Orders of this seller' }).count()).toBe(0);

  await page.getByText('Views', { exact: true }).click();
  await page.getByRole('button', { name: 'Forget To do <b>' }).click();
  await page.getByText('No view is saved yet.').waitFor();
  expect(await page.evaluate('localStorage["tradepost.preferences"]')).not.toContain('To do');
});

test('the overview of an account without webhooks registers one, and shows its secret', async () => {
  const page = await site.signIn('stranger');
  await page.getByRole('button', { name: 'Register a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('http://127.0.0.1:9/first');
  await dialog.getByRole('button', { name: 'Register', exact: true }).click();
  await dialog.getByText(/^whsec_/).waitFor();
  // The list is read again, and has no such button any more.
  await page.getByText('All well').waitFor();
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
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
  await page.getByLabel('Until').fill('2024-02-03T00:00');
  await page.getByRole('alert').getByText('Until is before From').waitFor();
  await page.getByLabel('Until').fill('2024-03-01T00:00');
  await page.getByText('No order matches').waitFor();
  expect(requests.filter((url) => /02-2[78]T|02-0[23]T/.test(url))).toEqual([]);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('link', { name: 'Clear the filters' }).click();
  await page.getByText('6 orders').waitFor();

  // What is chosen is a step back, what is typed is none.
  await page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }).click();
  await page.getByLabel('State').selectOption('failed');
  await page.waitForURL(/[?]state=failed$/);
  await page.getByRole('searchbox', { name: 'Webhook' }).fill('whk_1');
  await page.keyboard.press('Enter');
  await page.waitForURL(/webhook=whk_1/);
  await page.goBack();
  await page.waitForURL(/[/]deliveries$/);
  expect(await page.getByLabel('State').inputValue()).toBe('');
  await page.goForward();
  await page.waitForURL(/webhook=whk_1/);
  expect(await page.getByRole('searchbox', { name: 'Webhook' }).inputValue()).toBe('whk_1');
  await page.goBack();
  await page.goBack();
  await page.getByText('6 orders').waitFor();

  // An address may have such a period.
  requests.length = 0;
  await page.goto(`${site.server.url}/console/orders?from=1h&to=2h`);
  await page.getByText('The period ends before it begins').waitFor();
  await page.getByRole('alert').getByText('Until is before From').waitFor();
  expect(requests.filter((url) => url.includes('/v1/orders'))).toEqual([]);
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
  await page.getByRole('dialog', { name: 'Confirm order?' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('u');
  await page.waitForURL(/[/]orders[?]status=pending$/);
});

test('an ID of an event leads to it, and from there to its order', async () => {
  const [event] = (await site.client('seller').events.latest({ limit: 1 })).data;
  const page = await site.signIn('seller');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').fill(`see ${event?.id}`);
  await page
    .locator('[role=option][data-highlighted]', { hasText: `Event ${event?.id}` })
    .waitFor();
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
  await page.getByLabel('Additional headers').fill('X-Gateway');
  // A command that changes nothing, or what Save would not, would fail.
  const command = page.getByText('As a command, in code');
  await page.getByText('has no name and value').waitFor();
  expect(await command.count()).toBe(0);
  await page.getByLabel('Additional headers').fill('X-Gateway: let me in');
  await command.waitFor();
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

test('a bulk change says why orders failed, and tries only these again', async () => {
  for (const status of [409, 412, 500]) site.expectStatus(status);
  const client = site.client('seller');
  const [lost = '', rejected = ''] = await placeOrders(site.seeded, 3);
  for (const status of ['confirmed', 'fulfilling'] as const) {
    await client.orders.update(rejected, { status });
  }
  const page = await site.signIn('seller', 'orders');
  const { dialog } = await selectNewest(page, 3);
  const changed = new Set<string>();
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changed.add(request.url().split('/').pop() ?? '');
  });
  // The service changes it, and its response gets lost.
  await page.route(`**/v1/orders/${lost}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback();
    await route.fetch();
    await route.fulfill({ status: 500 });
  });
  await dialog.getByLabel('New status').selectOption('confirmed');
  await dialog.getByRole('button', { name: 'Change 3' }).click();
  await dialog.getByText('1 changed, 0 changed by others meanwhile, 2 failed, 0 left.').waitFor();
  const reasons = dialog.getByRole('listitem');
  await reasons.filter({ hasText: lost }).getByText('It may have been changed').waitFor();
  await reasons
    .filter({ hasText: rejected })
    .getByText(/fulfilling.* [(]request req_/)
    .waitFor();
  expect(await reasons.count()).toBe(2);
  expect(changed.size).toBe(3);

  await page.unroute(`**/v1/orders/${lost}`);
  changed.clear();
  await dialog.getByRole('button', { name: 'Try 2 again' }).click();
  await dialog
    .getByText('1 changed, 1 had the status already, 0 changed by others meanwhile, 1 failed')
    .waitFor();
  expect([...changed].toSorted()).toEqual([lost, rejected].toSorted());
  await dialog.getByRole('button', { name: 'Try 1 again' }).waitFor();
  await dialog.getByText('Close', { exact: true }).click();
  // What failed stays selected, for another decision.
  await page.getByRole('button', { name: 'Change 1 selected' }).waitFor();
  await page.locator('[data-selected]').filter({ hasText: rejected }).waitFor();
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

test('the overview shows what is disabled or paused of all webhooks, the disabled ones first', async () => {
  const { database } = site.server;
  const client = site.client('seller');
  const account = site.seeded.seller.id;
  await runServerCommand(['accounts', 'limits', account, '--webhooks', '200'], database);
  const register = (name: string) =>
    registerWebhook(client, { url: `http://127.0.0.1:9/${name}`, events: ['webhook.disabled'] });
  const disabled = await register('disabled');
  const paused = await register('paused');
  await client.webhooks.update(paused.id, { status: 'paused' });
  // More than a page of the API.
  for (let count = 0; count < 100; count += 1) await register(String(count));
  const connection = new Database(database);
  // What the service does to one whose endpoint fails for days.
  const change = "UPDATE webhooks SET status = 'paused', disabled_at = updated_at WHERE id = ?";
  connection.prepare(change).run(disabled.id);
  connection.close();

  const page = await site.signIn('seller');
  const rows = page.getByRole('listitem').filter({ hasText: 'http://127.0.0.1:9/' });
  await rows.nth(1).waitFor();
  expect(await rows.getByRole('link').allTextContents()).toEqual([disabled.url, paused.url]);
  const counts = page.getByRole('list', { name: 'Webhooks by state' });
  await counts.getByText('1 disabled').waitFor();
  await counts.getByText('1 paused').waitFor();
});
