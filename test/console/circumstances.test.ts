import type { Page, Route } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { forTest } from '../helpers/for-test';
import { registerWebhook } from '../helpers/register-webhook';
import { runServerCommand } from '../helpers/run-server-command';
import { findOrderId } from '../helpers/seed';
import { startPrefixProxy } from '../helpers/start-prefix-proxy';
import { startServerProcess } from '../helpers/start-server-process';
import { patienceMs, useConsole } from './open-console';

const site = useConsole();

/** Creates a link that signs in once, for a service that is reached at another URL. */
async function createLink(url: string): Promise<string> {
  return (await site.createLink('seller')).replace(site.server.url, url);
}

const waitForHeading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

test('below a path prefix, each page loads by its address, and links stay there', async () => {
  const proxy = await forTest(startPrefixProxy(site.server.url, '/trade/eu'));
  const orderId = findOrderId(site.seeded.seed, 'pending');
  const { id: webhookId } = await registerWebhook(site.client('seller'), {
    url: 'http://127.0.0.1:9/',
    events: ['order.created'],
  });
  const page = await site.openPage(await site.openWindow(proxy.url));
  await page.goto(await createLink(proxy.url));
  await waitForHeading(page, 'Overview');
  expect(page.url()).toBe(`${proxy.url}/console/`);

  const deep = [
    ['orders?status=pending&sort=createdAt', 'Orders'],
    [`orders/${orderId}`, `Order ${orderId}`],
    [`webhooks/${webhookId}/health?window=1h`, 'http://127.0.0.1:9/'],
    [`webhooks/${webhookId}/settings`, 'http://127.0.0.1:9/'],
    ['developer/signature', 'Developer'],
  ] as const;
  for (const [path, heading] of deep) {
    await page.goto(`${proxy.url}/console/${path}`);
    await waitForHeading(page, heading);
    await page.reload();
    await waitForHeading(page, heading);
    expect(page.url()).toBe(`${proxy.url}/console/${path}`);
  }
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByRole('link', { name: orderId }).click();
  await waitForHeading(page, `Order ${orderId}`);
  expect(page.url()).toBe(`${proxy.url}/console/orders/${orderId}`);
  // Whatever it shows as a command or code is for this address too.
  await page.goto(`${proxy.url}/console/developer/snippets`);
  await page.getByText(`tradepost login --base-url ${proxy.url}`).waitFor();
  await page.getByText('// Deliveries are sent to http://127.0.0.1:9/').waitFor();
});

test('over plain HTTP from another machine the pages work, and say what does not', async () => {
  const url = site.server.url.replace('127.0.0.1', 'tradepost.test');
  const page = await site.openPage(await site.openWindow(url));
  await page.clock.install();
  await page.goto(await createLink(url));
  await waitForHeading(page, 'Overview');
  const missing = `[isSecureContext, 'subtle' in crypto, 'locks' in navigator, 'clipboard' in navigator]`;
  expect(await page.evaluate(missing)).toEqual([false, false, false, false]);

  // It asks again instead of following the log.
  const orderId = findOrderId(site.seeded.seed, 'confirmed');
  await page.goto(`${url}/console/orders/${orderId}`);
  await page.getByRole('heading', { level: 3 }).first().waitFor();
  await site.client('agent').orders.update(orderId, { status: 'fulfilling', reason: 'Loaded.' });
  await vi.waitFor(
    async () => {
      await page.clock.fastForward(10_000);
      expect(await page.getByText('Loaded.').count()).toBe(1);
    },
    { timeout: patienceMs, interval: 250 },
  );
  expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);

  await page.getByRole('button', { name: 'Complete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await site.client('seller').orders.get(orderId)).status).toBe('completed');

  await page.goto(`${url}/console/webhooks`);
  await page.getByRole('button', { name: 'Register a webhook' }).click();
  await page.getByLabel('URL').fill('http://127.0.0.1:9/plain');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  const registered = page.getByRole('dialog', { name: 'Registered' });
  await registered.getByText(/^whsec_/).waitFor();
  await registered.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('link', { name: 'http://127.0.0.1:9/plain' }).waitFor();

  await page.goto(`${url}/console/developer/signature`);
  await page.getByText('Browsers compute signatures only over HTTPS.').waitFor();
  expect(await page.getByRole('button', { name: 'Check' }).count()).toBe(0);
});

test('a read-only key sees everything, and nothing that the service would reject', async () => {
  const { database, url } = site.server;
  const { apiKey } = await runServerCommand<{ apiKey: string }>(
    ['keys', 'create', '--account', site.seeded.seller.id, '--read-only'],
    database,
  );
  const client = site.client('seller');
  const { id: webhookId } = await registerWebhook(client, {
    url: 'http://127.0.0.1:9/read-only',
    events: ['order.created'],
  });
  const delivery = await client.webhooks.test(webhookId, { event: 'order.created' });
  const orderId = findOrderId(site.seeded.seed, 'fulfilling');
  /** Each page with a text that it shows once it is loaded. */
  const pages = [
    ['orders', orderId],
    [`orders/${orderId}`, 'What happened'],
    ['webhooks', 'http://127.0.0.1:9/read-only'],
    [`webhooks/${webhookId}/health`, 'read-only'],
    [`webhooks/${webhookId}/settings`, 'Attempts per minute'],
    [`webhooks/${webhookId}/rotate`, '3. Use the new one'],
    [`deliveries?webhook=${webhookId}`, delivery.id],
    [`deliveries/${delivery.id}`, 'Body, as signed'],
    ['notifications', orderId],
  ] as const;
  const page = await site.openPage(await site.openWindow());
  /** Signs in, and returns how each page offers to change something. */
  async function findControls(key: string): Promise<string[]> {
    await page.goto(`${url}/console/`);
    await page.getByLabel('Or use an API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await waitForHeading(page, 'Overview');
    const found: string[] = [];
    for (const [path, text] of pages) {
      await page.goto(`${url}/console/${path}`);
      await page.locator('#main').getByText(text).first().waitFor();
      const buttons = page.locator(
        '#main button:visible:not([aria-label^="Copy"], fieldset:disabled *), td input[type=checkbox]',
      );
      if ((await buttons.count()) > 0) found.push(path);
    }
    return found;
  }

  expect(await findControls(site.seeded.seller.apiKey)).toEqual(pages.map(([path]) => path));
  await page.locator('summary').filter({ hasText: 'Highland Growers' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();

  const changes: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(`${request.method()} ${request.url()}`);
  });
  expect(await findControls(apiKey)).toEqual([]);
  await page.locator('summary').getByText('seller, read-only').waitFor();
  await page.goto(`${url}/console/deliveries/${delivery.id}`);
  await page.getByText('Body, as signed').waitFor();
  await page.keyboard.press('r');
  await page.goto(`${url}/console/webhooks/${webhookId}/settings`);
  await page.getByText('Attempts per minute').waitFor();
  await page.keyboard.press('p');
  expect(await page.getByLabel('URL').isDisabled()).toBe(true);
  expect(changes).toEqual([]);
});

test('when a key is revoked, address and typed text stay, and the work goes on after signing in again', async () => {
  site.expectStatus(401);
  const client = site.client('seller');
  const orderId = findOrderId(site.seeded.seed, 'pending');
  const key = await client.keys.create({ name: 'for an afternoon' });
  const page = await site.openPage(await site.openWindow());
  const address = `${site.server.url}/console/orders/${orderId}?at=evt_1`;
  await page.goto(address);
  await page.getByLabel('Or use an API key').fill(key.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm order?' });
  await dialog.getByLabel('Reason').fill('Agreed by telephone at 9:14.');

  await client.keys.revoke(key.id);
  const again = page.getByRole('dialog', { name: 'Your session is over' });
  await again.waitFor();
  expect(page.url()).toBe(address);
  const stored = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])';
  expect(await page.evaluate(stored)).not.toContain('tpk_');

  await again.getByLabel('Or use an API key').fill(site.seeded.seller.apiKey);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.waitFor({ state: 'detached' });
  expect(page.url()).toBe(address);
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('Agreed by telephone at 9:14.');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Agreed by telephone at 9:14.').waitFor();
  expect((await client.orders.get(orderId)).status).toBe('confirmed');
});

test('the message that an order is missing stays while the order is requested again', async () => {
  site.expectStatus(404);
  const page = await site.signIn('stranger');
  const id = `ord_${'0'.repeat(26)}`;
  const held: Route[] = [];
  let requests = 0;
  await page.route(`**/v1/orders/${id}*`, async (route) => {
    requests += 1;
    if (requests === 1) await route.continue();
    else held.push(route);
  });
  await page.goto(`${site.server.url}/console/orders/${id}`);
  await waitForHeading(page, 'There is no such order');
  // A page that begins to follow the log of events reads again what it shows.
  await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: patienceMs });
  expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([
    'There is no such order',
  ]);
  await held[0]?.continue();
});

test('a file of the console that could not be loaded is loaded at the second try', async () => {
  site.expectFault(/^error in the console: Failed to load resource: net::ERR_FAILED/);
  site.expectFault(/^error in the console: TypeError: Failed to fetch dynamically imported/);
  await registerWebhook(site.client('seller'), {
    url: 'http://127.0.0.1:9/charts',
    events: ['order.created'],
  });
  const page = await site.signIn('seller');
  await page.evaluate('window.isSamePage = true');
  await page.route(/[/](palette|chart)-[^/]*[.]js$/, (route) => route.abort());
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  await dialog.getByText('Could not load the palette.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await page.getByRole('link', { name: 'http://127.0.0.1:9/charts' }).click();
  const failures = page.getByRole('alert').filter({ hasText: 'Could not load the chart.' });
  await failures.nth(1).waitFor();

  await page.unrouteAll();
  await failures.first().getByRole('button', { name: 'Try again' }).click();
  await page.locator('canvas').nth(1).waitFor();
  await failures.first().waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await dialog.getByRole('combobox').waitFor();
  expect(await page.evaluate('window.isSamePage')).toBe(true);

  // The router loads the page again before it says so.
  await page.keyboard.press('Escape');
  await page.route(/[/]developer-page-[^/]*[.]js$/, (route) => route.abort());
  await page.getByRole('link', { name: 'Developer', exact: true }).click();
  const broken = page.getByRole('alert').filter({ hasText: 'Could not show this page.' });
  await broken.waitFor();
  await page.unrouteAll();
  await broken.getByRole('button', { name: 'Try again' }).click();
  await waitForHeading(page, 'Developer');
});

test('while the server restarts, what was shown stays with its age, and then goes on by itself', async () => {
  site.expectFault(/^error in the console: Failed to load resource: net::ERR_/);
  const { url, database } = site.server;
  await registerWebhook(site.client('seller'), {
    url: 'http://127.0.0.1:9/before',
    events: ['order.created'],
  });
  const page = await site.openPage(await site.openWindow());
  await page.clock.install();
  await page.goto(await createLink(url));
  await waitForHeading(page, 'Overview');
  await page.goto(`${url}/console/webhooks`);
  const endpoint = page.getByRole('link', { name: 'http://127.0.0.1:9/before' });
  await endpoint.waitFor();
  await page.evaluate('window.isSamePage = true');
  await site.server.stop();
  await page.clock.fastForward('05:00');
  const stale = page.getByRole('status').filter({ hasText: 'What you see is from' });
  await stale.getByText(/What you see is from 5 min/).waitFor();
  await stale.getByRole('button', { name: 'Try now' }).waitFor();
  expect(await endpoint.isVisible()).toBe(true);

  await forTest(startServerProcess(database, ['--port', new URL(url).port]));
  await registerWebhook(site.client('seller'), {
    url: 'http://127.0.0.1:9/after',
    events: ['order.created'],
  });
  await vi.waitFor(
    async () => {
      await page.clock.fastForward('00:10');
      expect(await page.getByRole('link', { name: /after$/ }).count()).toBe(1);
    },
    { timeout: patienceMs, interval: 250 },
  );
  await stale.waitFor({ state: 'detached' });
  expect(await page.evaluate('window.isSamePage')).toBe(true);
});
