import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Tradepost } from '@tradepost/sdk';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoopbackServer, startHttpServer } from '../helpers/loopback';
import { checkout } from '../helpers/programs';
import { temporaryFolder } from '../helpers/temporary-folder';
import { patienceMs, useConsole } from './open-console';

const second = 1_000;
const hour = 3_600 * second;

const folder = await temporaryFolder();
const offsetFile = join(folder.path, 'clock-offset');
/** The offset of the server's clock, which only grows: a session that started later must not expire. In milliseconds. */
let offset = 0;
function advanceClock(milliseconds: number): void {
  offset += milliseconds;
  writeFileSync(offsetFile, String(offset));
}
advanceClock(0);
afterAll(folder.remove);

const clock = pathToFileURL(join(checkout, 'test/helpers/settable-clock.mjs')).href;
const site = useConsole(['--log-level', 'debug', '--log-requests', '10000'], {
  env: { CLOCK_OFFSET_FILE: offsetFile, NODE_OPTIONS: `--import ${clock}` },
});

/** Another origin. What it was asked for, and with which address as referrer. */
let evil: LoopbackServer;
const seen: string[] = [];
beforeAll(async () => {
  evil = await startHttpServer(({ method, url, headers }, response) => {
    seen.push(`${method} ${url} ${headers.referer ?? ''} ${headers.authorization ?? ''}`);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>evil</title>');
  });
  return () => evil.close();
});

/** Opens a page of another origin in the window of a page. */
async function openEvil(page: Page): Promise<Page> {
  site.expectFault(new RegExp(`^request to ${evil.url}/$`));
  const other = await page.context().newPage();
  await other.goto(`${evil.url}/`);
  return other;
}

const overview = (page: Page) => page.getByRole('heading', { level: 1, name: 'Overview' });

test('a link signs in one of two at once, and nobody after a minute', async () => {
  site.expectStatus(401);
  const link = await site.createLink('seller');
  const pages = await Promise.all([1, 2].map(async () => site.openPage(await site.openWindow())));
  await Promise.all(
    pages.map(async (page) => {
      await page.goto(link);
      await overview(page).or(page.getByRole('alert')).waitFor();
    }),
  );
  const found = await Promise.all(pages.map((page) => overview(page).count()));
  expect(found.toSorted()).toEqual([0, 1]);

  const late = await site.createLink('seller');
  advanceClock(61 * second);
  const page = await site.openPage(await site.openWindow());
  await page.goto(late);
  await page.getByText('This sign-in code is not valid').waitFor();
});

test('a link of another account replaces nobody who is signed in without asking', async () => {
  const page = await site.signIn('buyer', 'orders');
  await page.goto(await site.createLink('agent'));
  await page.getByRole('heading', { name: 'This link signs in to another account' }).waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  await overview(page).waitFor();
  await page.locator('summary').filter({ hasText: 'Harbour Street' }).waitFor();
  await expect
    .poll(
      async () => {
        const keys = await site.client('agent').keys.list().toArray({ limit: 100 });
        return keys.filter(({ kind, revokedAt }) => kind === 'session' && revokedAt === null)
          .length;
      },
      { timeout: patienceMs },
    )
    .toBe(0);

  const tab = await site.openPage(page.context());
  await tab.goto(await site.createLink('agent'));
  await tab.getByRole('button', { name: /^Sign in as/ }).click();
  await overview(tab).waitFor();
  await page.reload();
  await page.locator('summary').filter({ hasText: 'Harbour Street' }).waitFor();
});

test('a second link of an account replaces its session in all tabs, and signing out ends both', async () => {
  site.expectStatus(401);
  const countSessions = async () => {
    const keys = await site.client('agent').keys.list().toArray({ limit: 100 });
    return keys.filter(({ kind, revokedAt }) => kind === 'session' && revokedAt === null).length;
  };
  const others = await countSessions();
  const page = await site.signIn('agent', 'orders');
  const tab = await site.openPage(page.context());
  await tab.goto(await site.createLink('agent'));
  await overview(tab).waitFor();
  const readKey = (one: Page) => one.evaluate(`sessionStorage['tradepost.session:/console']`);
  await expect.poll(() => readKey(page), { timeout: patienceMs }).toBe(await readKey(tab));
  await expect.poll(countSessions, { timeout: patienceMs }).toBe(others + 1);
  await tab.locator('header summary').last().click();
  await tab.getByRole('button', { name: 'Sign out' }).click();
  for (const one of [page, tab]) {
    await one.getByRole('heading', { name: 'Sign in to Tradepost' }).waitFor();
  }
  await expect.poll(countSessions, { timeout: patienceMs }).toBe(others);
});

test('whoever signs in after another account sees nothing of it', async () => {
  site.expectStatus(401);
  const page = await site.signIn('seller', 'orders');
  await page.getByRole('link', { name: /^ord_/ }).first().waitFor();
  const { key } = JSON.parse(
    String(await page.evaluate(`sessionStorage['tradepost.session:/console']`)),
  );
  const client = new Tradepost({ baseUrl: site.server.url, apiKey: key });
  await client.keys.revoke((await client.account.get()).key.id);
  const over = page.getByRole('dialog', { name: 'Your session is over' });
  await over.waitFor();
  const held: Route[] = [];
  await page.route(/[/]v1[/]orders[?]/, (route) => void held.push(route));
  await over.getByLabel('Or use an API key').fill(site.seeded.stranger.apiKey);
  await over.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('summary').filter({ hasText: 'Corner Shop' }).waitFor();
  await page
    .getByText(/Loading (orders|the newest orders)/)
    .first()
    .waitFor();
  expect(await page.getByRole('link', { name: /^ord_/ }).count()).toBe(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('the code and the keys are in no address, log, storage or channel of others', async () => {
  const context = await site.openWindow();
  const page = await site.openPage(context);
  const sent: string[] = [];
  page.on('request', (request) => {
    // The key belongs into one header, and the code into a body.
    const { authorization: _, ...headers } = request.headers();
    sent.push(`${request.url()} ${JSON.stringify(headers)}`);
  });
  const other = await openEvil(page);
  await other.evaluate(`globalThis.heard = [];
    for (const name of ['session:/console', 'events:/console:${site.seeded.seller.id}']) {
      const channel = new BroadcastChannel('tradepost.' + name);
      channel.onmessage = ({ data }) => heard.push(data);
      channel.postMessage({ type: 'wanted' });
    }
    addEventListener('storage', ({ newValue }) => heard.push(newValue));`);
  const link = await site.createLink('seller');
  await page.goto(link);
  await overview(page).waitFor();
  for (const name of ['Orders', 'Webhooks', 'Events']) {
    await page.getByRole('navigation').getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  const { key } = JSON.parse(
    String(await page.evaluate(`sessionStorage['tradepost.session:/console']`)),
  );
  expect(key).toMatch(/^tps?k_/);

  const devTools = await context.newCDPSession(page);
  const { entries } = await devTools.send('Page.getNavigationHistory');
  const kept = await page.evaluate(
    '[JSON.stringify(localStorage), document.cookie, document.title]',
  );
  const heard = await other.evaluate('({ heard, kept: { ...localStorage } })');
  const { stdout, stderr } = site.server;
  const addresses = entries.map(({ url }) => url);
  const places = [addresses, kept, heard, await context.cookies(), sent];
  const all = JSON.stringify([...places, seen, stdout(), stderr()]);
  expect(stderr()).toContain('/v1/sessions');
  for (const secret of [new URL(link).hash.slice(1), key, site.seeded.seller.apiKey]) {
    expect(all).not.toContain(secret);
  }
  expect(heard).toEqual({ heard: [], kept: {} });
});

test('a page that opens the console can neither navigate nor talk to it', async () => {
  const page = await site.signIn('seller');
  const other = await openEvil(page);
  const opening = page.context().waitForEvent('page');
  await other.evaluate(`globalThis.opened = open('${site.server.url}/console/orders')`);
  const opened = await opening;
  await opened.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  expect(await opened.evaluate('opener')).toBe(null);
  await other.evaluate(`{
    for (const message of [{ type: 'wanted' }, { type: 'ended' }, { type: 'started', session: { key: 'x' } }]) {
      opened.postMessage(message, '*');
    }
    try { opened.location = '${evil.url}/stolen'; } catch {}
    try { open('${evil.url}/stolen', opened.name); } catch {}
    opened.close();
  }`);
  expect(await other.evaluate('opened.closed')).toBe(true);
  await opened.reload();
  await opened.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  expect(opened.url()).toBe(`${site.server.url}/console/orders`);
});

test('no page frames the console', async () => {
  site.expectFault(/^error in the console: .*frame-ancestors/);
  const other = await openEvil(await site.signIn('seller'));
  const frame = `<iframe src="${site.server.url}/console/orders" `;
  await other.setContent(`${frame}></iframe>${frame} sandbox="allow-scripts"></iframe>`);
  await expect
    .poll(() => other.frames().map((one) => one.url()), { timeout: patienceMs })
    .toEqual([`${evil.url}/`, 'chrome-error://chromewebdata/', 'chrome-error://chromewebdata/']);
});

test('another origin has no session to ride on', async () => {
  site.expectFault(/^error in the console: .*(CORS policy|Failed to load resource)/);
  const page = await site.signIn('seller');
  const other = await openEvil(page);
  const before = (await site.client('seller').webhooks.list()).data.length;
  const results = await other.evaluate(`Promise.all([
    fetch('${site.server.url}/v1/orders', { credentials: 'include' }),
    fetch('${site.server.url}/console/orders', { credentials: 'include' }),
    fetch('${site.server.url}/v1/webhooks', {
      method: 'POST', credentials: 'include', mode: 'no-cors',
      body: JSON.stringify({ url: '${evil.url}', events: ['order.created'] }),
    }),
  ].map((one) => one.then(({ type }) => type, () => 'blocked')))`);
  expect(results).toEqual(['blocked', 'blocked', 'blocked']);
  expect((await site.client('seller').webhooks.list()).data).toHaveLength(before);
  expect(await page.context().cookies()).toEqual([]);
});

test('a session that is over asks for another one, at the same address', async () => {
  site.expectStatus(401);
  const page = await site.signIn('seller', 'orders?status=pending');
  const tab = await site.openPage(page.context());
  await tab.goto(`${site.server.url}/console/events`);
  await tab.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  advanceClock(12 * hour + second);
  await page.reload();
  for (const one of [page, tab]) {
    await one.getByText('Your session is over').first().waitFor();
  }
  await page.getByLabel('Or use an API key').fill(site.seeded.seller.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: /^ord_/ }).first().waitFor();
  expect(page.url()).toBe(`${site.server.url}/console/orders?status=pending`);
});

test('a session ends with the key that started it', async () => {
  site.expectStatus(401);
  const page = await site.signIn('agent');
  let revoke = () => {};
  const revoked = new Promise<void>((resolve) => {
    revoke = resolve;
  });
  await page.route(/[/]v1[/]events[?]after/, async (route) => {
    await revoked;
    await route.continue();
  });
  const waiting = page.waitForRequest(/[/]v1[/]events[?]after/);
  // A page that asks for nothing on its own: only the log of events says that the key is gone.
  await page.goto(`${site.server.url}/console/orders?status=pending`);
  await page.getByRole('link', { name: /^ord_/ }).first().waitFor();
  await waiting;
  const client = site.client('agent');
  await client.keys.revoke((await client.account.get()).key.id);
  revoke();
  await page.getByRole('dialog', { name: 'Your session is over' }).waitFor();
  expect(page.url()).toBe(`${site.server.url}/console/orders?status=pending`);
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toMatch(/tp[a-z]+_/);
});
