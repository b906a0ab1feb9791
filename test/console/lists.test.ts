import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { placeOrders } from '../helpers/place-orders';
import { tradepostBin } from '../helpers/programs';
import { registerWebhook } from '../helpers/register-webhook';
import { runProcess } from '../helpers/start-process';
import { startHttpReceiver } from '../helpers/start-receiver';
import { patienceMs, useConsole } from './open-console';

const site = useConsole();

/** Runs the command that a page or a dialog shows in a shell, and returns what it prints. */
async function runShownCommand<Row>(page: Page | Locator, options = ''): Promise<Row[]> {
  await page.getByText('As a command, in code').last().click();
  const line = page
    .getByRole('definition')
    .filter({ hasText: /^tradepost / })
    .last();
  const text = await line.getByRole('code').textContent();
  const script = `tradepost() { '${process.execPath}' '${tradepostBin}' "$@"; }; ${text} ${options} --output json`;
  const { code, stdout, stderr } = await runProcess('/bin/sh', ['-c', script], {
    env: { TRADEPOST_BASE_URL: site.server.url, TRADEPOST_API_KEY: site.seeded.seller.apiKey },
  });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Row[];
}

test('every list is what its command prints, with the same filters', async () => {
  const client = site.client('seller');
  const receiver = await forTest(startHttpReceiver((response) => response.writeHead(204).end()));
  const { id: webhookId = '' } = await client.webhooks.create({
    url: receiver.url,
    events: ['order.status_changed'],
  });
  for (const status of ['confirmed', 'fulfilling'] as const) {
    const [order] = await client.orders.list({ status: 'pending' }).toArray({ limit: 1 });
    if (order !== undefined) await client.orders.update(order.id, { status: 'confirmed' });
    if (order !== undefined && status !== 'confirmed')
      await client.orders.update(order.id, { status });
  }
  const { data } = await client.orders.list({ limit: 1 });
  const page = await site.signIn('seller');
  for (const [path, prefix] of [
    ['orders', 'ord'],
    ['orders?status=pending,confirmed&sort=createdAt', 'ord'],
    [`orders?buyer=${site.seeded.buyer.id}&from=1h&sort=-updatedAt`, 'ord'],
    [`orders?listing=${data[0]?.listingId}`, 'ord'],
    ['webhooks', 'whk'],
    ['deliveries', 'dlv'],
    [`deliveries?webhook=${webhookId}&type=order.status_changed&from=24h`, 'dlv'],
    ['events', 'evt'],
    ['events?type=order.status_changed', 'evt'],
    ['notifications?read=false', null],
  ] as const) {
    await page.goto(`${site.server.url}/console/${path}`);
    const rows = page.getByRole('row').filter({ has: page.getByRole('cell') });
    await rows.first().waitFor();
    const printed = (await runShownCommand<{ id: string }>(page)).map(({ id }) => id);
    expect(printed.length, path).toBeGreaterThan(0);
    if (prefix === null) {
      expect(await rows.count(), path).toBe(printed.length);
      continue;
    }
    const shown = await rows.evaluateAll(
      (all, id) => all.map((row) => new RegExp(`${id}_[0-9A-Z]{26}`).exec(row.innerHTML)?.[0]),
      prefix,
    );
    expect(shown, path).toEqual(printed);
  }
});

test('the command of a bulk change has its condition', async () => {
  const ids = await placeOrders(site.seeded, 2);
  const page = await site.signIn('seller', 'orders?status=pending');
  for (const id of ids) await page.getByRole('checkbox', { name: `Select ${id}` }).click();
  await page.getByRole('button', { name: 'Change 2 selected' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 2 orders' });
  await dialog.getByLabel('New status').selectOption('cancelled');
  await dialog.getByLabel('Reason').fill("The buyer's wish");
  const { orders } = site.client('seller');
  await orders.update(ids[0] ?? '', { status: 'confirmed' });
  const outcomes = await runShownCommand<{ id: string; outcome: string }>(
    dialog,
    '--no-journal --yes',
  );
  expect(Object.fromEntries(outcomes.map(({ id, outcome }) => [id, outcome]))).toEqual({
    [ids[0] ?? '']: 'skipped',
    [ids[1] ?? '']: 'updated',
  });
});

test('what matches is counted before it is replayed, and the command of a replay has its filters', async () => {
  site.expectStatus(503);
  const client = site.client('seller');
  const receiver = await forTest(startHttpReceiver((response) => response.writeHead(500).end()));
  const { id: webhookId = '' } = await client.webhooks.create({
    url: receiver.url,
    events: ['order.created'],
  });
  const { id } = await client.webhooks.test(webhookId, { event: 'order.created' });
  await expect
    .poll(async () => (await client.deliveries.get(id)).state, { timeout: patienceMs })
    .toBe('failed');

  const page = await site.signIn('seller', `deliveries?webhook=${webhookId}`);
  const replay = page.getByRole('button', { name: 'Replay all that match' });
  expect(await replay.isDisabled()).toBe(true);
  await page.getByText('filter by one webhook and the state failed or pending').waitFor();
  await page.getByLabel('State').selectOption('failed');
  await page.getByRole('link', { name: id }).waitFor();
  // Two requests: the SDK repeats the first one.
  let rejected = 0;
  await page.route(/[/]v1[/]deliveries[?]/, async (route) => {
    rejected += 1;
    await (rejected <= 2 ? route.fulfill({ status: 503 }) : route.continue());
  });
  await replay.click();
  const dialog = page.getByRole('dialog', { name: 'Replay all that match' });
  await dialog.getByText('Could not count how many match.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Replay', exact: true }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('1 delivery matches.').waitFor();
  const before = receiver.arrivals.length;
  expect(await runShownCommand(dialog)).toMatchObject([{ replayed: 1 }]);
  await expect
    .poll(() => receiver.arrivals.length, { timeout: patienceMs })
    .toBeGreaterThan(before);

  await placeOrders(site.seeded, 1);
  await page.goto(
    `${site.server.url}/console/deliveries?webhook=${webhookId}&state=pending&type=order.created`,
  );
  await page.getByRole('cell', { name: 'retrying' }).waitFor();
  await replay.click();
  await dialog.getByText('As a command, in code').click();
  await dialog.getByText('none does the same: `tradepost webhooks retry` takes no').waitFor();
});

test('a paused list of events shows those of another filter, and no newer ones', async () => {
  const page = await site.signIn('seller', 'events?type=order.created');
  const rows = page.getByRole('row').filter({ hasText: 'order.created' });
  await rows.first().waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByLabel('Type').selectOption('listing.availability_low');
  await page.getByRole('heading', { name: 'No event matches' }).waitFor();
  await page.getByLabel('Type').selectOption('order.status_changed');
  await page.getByRole('row').filter({ hasText: 'order.status_changed' }).first().waitFor();
  expect(await rows.count()).toBe(0);
});

test('one notification is marked read, and its command marks the next', async () => {
  const { notifications } = site.client('seller');
  const page = await site.signIn('seller', 'notifications?read=false');
  const buttons = page.getByRole('button', { name: /^Mark read: / });
  await buttons.nth(2).waitFor();
  const shown = await buttons.count();
  const [first, second, third] = (await notifications.list({ read: false })).data;
  await buttons.nth(1).click();
  await expect.poll(() => buttons.count(), { timeout: patienceMs }).toBe(shown - 1);
  await page.getByText('Mark one read: as a command, in code').click();
  const line = page.getByText(`tradepost notifications read ${first?.id}`);
  await line.waitFor();
  const left = (await notifications.list({ read: false })).data.map(({ id }) => id);
  expect(left.slice(0, 2)).toEqual([first?.id, third?.id]);
  expect(left).not.toContain(second?.id);
});

test('a list whose filters match nothing says so, and leads to the whole list', async () => {
  const client = site.client('seller');
  await client.notifications.markAllRead({ before: new Date() });
  const { id } = await registerWebhook(client, {
    url: `${site.server.url}/none`,
    events: ['order.created'],
  });
  await client.webhooks.test(id, { event: 'order.created' });
  const page = await site.signIn('seller');
  for (const [path, filters, title, link] of [
    ['orders', 'listing=lst_none', 'No order matches', 'Clear the filters'],
    ['deliveries', 'webhook=whk_none', 'No delivery matches', 'Clear the filters'],
    ['events', 'type=order.created&order=ord_none', 'No event matches', 'Clear the filters'],
    ['notifications', 'read=false', 'You have read everything', 'All notifications'],
  ] as const) {
    await page.goto(`${site.server.url}/console/${path}?${filters}`);
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByRole('main').getByRole('link', { name: link }).click();
    await page.waitForURL(`${site.server.url}/console/${path}`);
    await page
      .getByRole('row')
      .filter({ has: page.getByRole('cell') })
      .first()
      .waitFor();
  }
});

test('rows of the filters before are marked until those of the new ones are there', async () => {
  const page = await site.signIn('seller', 'orders');
  await page.getByRole('link', { name: /^ord_/ }).first().waitFor();
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/status=cancelled/, async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.getByLabel('cancelled', { exact: true }).check();
  const outdated = page.locator('[aria-busy=true]').getByRole('table');
  await outdated.waitFor();
  expect(await outdated.getByRole('checkbox').first().isDisabled()).toBe(true);
  release();
  await outdated.waitFor({ state: 'detached' });
});
