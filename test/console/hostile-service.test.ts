import type { Locator, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { startHttpServer } from '../helpers/loopback';
import { findOrderId } from '../helpers/seed';
import { patienceMs, useConsole } from './open-console';

const site = useConsole();
const ofOrders = /[/]v1[/]orders([?]|$)/;

type Respond = (route: Route) => Promise<unknown>;

/** What a proxy says instead of the service. It would be a fault of the page if it ran. */
function sendHtml(status: number): Respond {
  const body = '<h1>Bad gateway</h1><script>console.error(1)</script><img src=x onerror=alert(1)>';
  return (route) => route.fulfill({ status, contentType: 'text/html', body });
}

const sendJson = (body: unknown): Respond => {
  return (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
};

function sendProblem(status: number, code: string, retryAfter: string): Respond {
  const json = { type: `urn:tradepost:problem:${code}`, title: code, status, code };
  const headers = { 'content-type': 'application/problem+json', 'retry-after': retryAfter };
  const body = JSON.stringify({ ...json, detail: `Says ${code}.`, requestId: `req_${code}` });
  return (route) => route.fulfill({ status, headers, body });
}

/** Lets the real service respond, and changes all that a function of `JSON.stringify` changes. */
function alter(change: (key: string, value: unknown) => unknown): Respond {
  return async (route) => {
    const response = await route.fetch();
    const body = JSON.stringify(await response.json(), change);
    await route.fulfill({ response, body });
  };
}

const firstOrder = (page: Page) => page.getByRole('link', { name: /^ord_/ }).first();
const findPages = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
const openOrders = (page: Page) => page.goto(`${site.server.url}/console/orders`);

/** Tries again to read the orders. The page does so by itself too, and may be first on a slow machine. */
async function tryAgain(page: Page, failure: Locator): Promise<void> {
  const again = failure.getByRole('button', { name: 'Try again' });
  await Promise.any([again.click(), firstOrder(page).waitFor()]);
  await firstOrder(page).waitFor();
}

test('an error is said with its request, and can be tried again', async () => {
  const page = await site.signIn('seller');
  for (const [status, respond, message, requestId] of [
    [502, sendHtml(502), /did not respond as it should.*502/, null],
    [429, sendProblem(429, 'rate_limited', '1'), /too many requests/, 'req_rate_limited'],
    [503, sendProblem(503, 'shutting_down', '0'), /is restarting/, 'req_shutting_down'],
  ] as const) {
    site.expectStatus(status);
    await page.route(ofOrders, respond);
    await openOrders(page);
    const failure = page.getByRole('alert').filter({ hasText: 'Could not load the orders.' });
    await failure.getByText(message).waitFor();
    if (requestId !== null) await failure.getByText(requestId, { exact: true }).waitFor();
    // An error page lists no extension, and takes no page away.
    await findPages(page).getByRole('link', { name: 'Deliveries' }).waitFor();
    await failure.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(ofOrders);
    await tryAgain(page, failure);
  }
});

test('a change that fails keeps its dialog, and says why', async () => {
  site.expectStatus(503);
  const id = findOrderId(site.seeded.seed, 'pending');
  const page = await site.signIn('seller', `orders/${id}`);
  await page.route(`**/v1/orders/${id}`, (route) =>
    route.request().method() === 'PATCH'
      ? sendProblem(503, 'shutting_down', '0')(route)
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'Confirm' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('A reason that took long to write.');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByRole('alert').getByText('req_shutting_down', { exact: true }).waitFor();
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('A reason that took long to write.');
  await page.unroute(`**/v1/orders/${id}`);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('main').getByText('A reason that took long to write.').waitFor();
});

test('what no contract says leaves the navigation, and a way on', async () => {
  // React and browsers report what could not be drawn.
  site.expectFault(/^error in the console: (TypeError|Error: Minified React error)/);
  const page = await site.signIn('seller');
  for (const respond of [
    sendHtml(200),
    ...[{}, { data: [null] }, { data: [{ id: 'ord_1' }] }].map(sendJson),
    sendJson({ data: [{ id: {}, status: [], quantity: 'x', createdAt: 7 }] }),
  ]) {
    await page.route(ofOrders, respond);
    await openOrders(page);
    const failure = page.getByRole('alert').filter({ hasText: /Could not (load the orders|show)/ });
    await failure.waitFor();
    await findPages(page).getByRole('link', { name: 'Notifications' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
    await page.goBack();
    await failure.waitFor();
    await page.unroute(ofOrders);
    await tryAgain(page, failure);
  }
});

test('an account that no contract describes can still sign out', async () => {
  site.expectFault(/^error in the console: TypeError/);
  const page = await site.openPage(await site.openWindow());
  await page.route('**/v1/account', sendJson({ data: {} }));
  await openOrders(page);
  await page.getByLabel('Or use an API key').fill(site.seeded.seller.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').filter({ hasText: 'Could not show this page.' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Or use an API key').waitFor();
});

test('a newer service may have other statuses, states and types everywhere', async () => {
  // Of all words that no version of the console knows, the worst.
  const word = 'constructor';
  const id = findOrderId(site.seeded.seed, 'pending');
  const client = site.client('seller');
  const url = `${site.server.url}/none/${word}`;
  const { id: webhook = '' } = await client.webhooks.create({ url, events: ['order.created'] });
  const delivery = await client.webhooks.test(webhook, { event: 'order.created' });
  const page = await site.signIn('seller');
  const words = ['status', 'state', 'type', 'event', 'kind', 'from', 'to', 'error'];
  await page.route(/[/]v1[/](?!account|events[?]after)/, (route) =>
    alter((key, value) => (words.includes(key) && typeof value === 'string' ? word : value))(route),
  );
  for (const path of [
    ...['', 'orders', `orders/${id}`, `webhooks/${webhook}/health`],
    ...[`webhooks/${webhook}/settings`, 'deliveries', `deliveries/${delivery.id}`],
    ...['events', 'notifications'],
  ]) {
    await page.goto(`${site.server.url}/console/${path}`);
    await page.getByRole('main').getByText(word).first().waitFor();
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a list of twenty thousand in one piece shows the first thousand', async () => {
  const [order] = (await site.client('seller').orders.list({ limit: 1 })).data;
  const data = Array.from({ length: 20_000 }, (_, index) => ({ ...order, id: `ord_${index}` }));
  const page = await site.signIn('seller');
  await page.route(ofOrders, sendJson({ data }));
  await openOrders(page);
  await page.getByText('The first 1,000.').waitFor();
  expect(await page.getByRole('row').count()).toBe(1_001);
  await page.getByLabel('Select ord_999').click();
  await page.getByRole('button', { name: 'Change 1 selected' }).waitFor();
});

test('a response that never ends leaves the page usable, and is given up', async () => {
  const held: Route[] = [];
  const stuck = await forTest(
    startHttpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"data":[');
    }),
  );
  const page = await site.signIn('seller');
  await page.clock.install();
  await page.route('**/v1/notifications?*', (route) => void held.push(route));
  await page.route(ofOrders, (route) => route.continue({ url: `${stuck.url}/v1/orders` }));
  await openOrders(page);
  await page.getByText('Loading orders').waitFor();
  await findPages(page).getByRole('link', { name: 'Notifications' }).click();
  await page.getByText('Loading notifications').waitFor();
  await findPages(page).getByRole('link', { name: 'Orders' }).click();
  await page.getByText('Loading orders').waitFor();
  const failure = page.getByRole('alert').filter({ hasText: 'Could not load the orders.' });
  await expect
    .poll(
      async () => {
        await page.clock.fastForward(5_000);
        return failure.count();
      },
      { timeout: patienceMs },
    )
    .toBe(1);
  await page.unroute(ofOrders);
  await tryAgain(page, failure);
});
