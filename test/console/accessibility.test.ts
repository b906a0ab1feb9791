import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findOrderId } from '../helpers/seed';
import { useConsole, type View } from './open-console';

const site = useConsole();

const wide: View = { colorScheme: 'light', width: 1280 };
const phone: View = { colorScheme: 'light', width: 360 };
/** A window of 1280 × 1024 pixels at 400 %. Source: WCAG 2.2, 1.4.10. */
const zoomed: View = { colorScheme: 'light', width: 320 };

/** Sets the size of the window. */
async function resize(page: Page, { width }: View): Promise<void> {
  await page.setViewportSize({ width, height: width === zoomed.width ? 256 : 900 });
}

/** Expects that axe finds nothing in a page in these colours, and that it is no wider than its window. */
async function expectAccessible(
  page: Page,
  what: string,
  colorSchemes: View['colorScheme'][] = ['light', 'dark'],
): Promise<void> {
  for (const colorScheme of colorSchemes) {
    // Without motion: a transition that such a switch starts may never end.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await site.findViolations(page), `${what}, ${colorScheme}`).toEqual([]);
  }
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow, `${what} is wider than its window`).toBe(0);
}

/** What the pages show. */
const ids = { order: '', webhook: '', delivery: '', event: '' };
beforeAll(async () => {
  const client = site.client('seller');
  ids.order = findOrderId(site.seeded.seed, 'fulfilling');
  const { id: webhook = '' } = await client.webhooks.create({
    url: `${site.server.url}/none/accessible`,
    events: ['order.created'],
  });
  ids.webhook = webhook;
  ids.delivery = (await client.webhooks.test(webhook, { event: 'order.created' })).id;
  ids.event = (await client.events.latest({ limit: 1 })).data[0]?.id ?? '';
});

/** The pages, each with a text that it shows once it is loaded. */
const pages = {
  'of orders': () => [
    ['', '/none/accessible'],
    ['orders', ids.order],
    [`orders/${ids.order}`, 'you have not read it yet'],
    ['orders?buyer=usr_x', 'No order matches'],
  ],
  'of webhooks': () => [
    ['webhooks', '/none/accessible'],
    [`webhooks/${ids.webhook}/health`, 'In numbers'],
    [`webhooks/${ids.webhook}/deliveries`, ids.delivery],
    [`webhooks/${ids.webhook}/settings`, 'Attempts per minute'],
    [`webhooks/${ids.webhook}/rotate`, '3. Use the new one'],
  ],
  'of deliveries and events': () => [
    ['deliveries', ids.delivery],
    [`deliveries/${ids.delivery}`, 'Body, as signed'],
    ['events', ids.event],
    [`events/${ids.event}`, 'To your webhooks'],
  ],
  'for the rest': () => [
    ['notifications', ids.order],
    ['developer/snippets', 'tradepost login'],
    ['developer/signature', 'Check'],
  ],
} satisfies Record<string, () => [path: string, text: string][]>;

test.each(Object.entries(pages))(
  'axe finds no violation in the pages %s, in both colours and in each width',
  async (_, getPages) => {
    const page = await site.signIn('seller');
    for (const [path, text] of getPages()) {
      await resize(page, wide);
      await page.goto(`${site.server.url}/console/${path}`);
      await page.locator('#main').getByText(text).first().waitFor();
      await expectAccessible(page, `${path}, wide`);
      // Narrow windows have the same colours, in another layout.
      await resize(page, phone);
      await expectAccessible(page, `${path} on a phone`, ['dark']);
      await resize(page, zoomed);
      await expectAccessible(page, `${path}, zoomed`, ['light']);
    }
  },
);

test.each([wide, zoomed])(
  'axe finds no violation in dialogs and menus, $width px wide',
  async (view) => {
    const client = site.client('seller');
    const { id: webhookId = '' } = await client.webhooks.create({
      url: `${site.server.url}/none/dialogs/${view.width}`,
      events: ['order.created'],
    });
    const page = await site.signIn('seller');
    await resize(page, view);
    /** Opens a page and a dialog of it. */
    async function openDialog(path: string, button: string, title: string) {
      await page.goto(`${site.server.url}/console/${path}`);
      await page.getByRole('button', { name: button, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.waitFor();
      return dialog;
    }

    const order = `orders/${findOrderId(site.seeded.seed, 'pending')}`;
    await openDialog(order, 'Confirm order', 'Confirm order?');
    await expectAccessible(page, 'change of a status');
    const settings = `webhooks/${webhookId}/settings`;
    await openDialog(settings, 'Delete', 'Delete this webhook?');
    await expectAccessible(page, 'deletion');
    const failed = `deliveries?webhook=${webhookId}&state=failed`;
    const replay = await openDialog(failed, 'Replay all that match', 'Replay all that match');
    await replay.getByText(/deliveries match/).waitFor();
    await expectAccessible(page, 'replay of all');
    const register = await openDialog('webhooks', 'Register a webhook', 'Register a webhook');
    await register.getByLabel('URL').fill('ftp://127.0.0.1/');
    await expectAccessible(page, 'registration');
    await register.getByLabel('URL').fill(`${site.server.url}/none/registered/${view.width}`);
    await register.getByRole('button', { name: 'Register' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor();
    await expectAccessible(page, 'secret');

    await page.goto(`${site.server.url}/console/orders?status=pending`);
    const boxes = page.getByRole('checkbox', { name: /^Select ord_/ });
    await boxes.first().click();
    await boxes.last().click();
    await page.getByRole('button', { name: 'Change 2 selected' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, 'change of many');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const [key, title] of [
      ['Control+k', 'Go to'],
      ['Shift+?', 'Keys'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name: title }).waitFor();
      await expectAccessible(page, title);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.locator('summary').filter({ hasText: 'Highland Growers' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await expectAccessible(page, 'menu of the account');
  },
);

test('axe finds no violation where nothing is, something fails, or nobody is signed in', async () => {
  site.expectStatus(404);
  site.expectStatus(401);
  site.expectFault(/^error in the console: Failed to load resource: net::ERR_FAILED/);
  const page = await site.signIn('stranger');
  await resize(page, zoomed);
  const open = (path: string) => page.goto(`${site.server.url}/console/${path}`);
  const nothing = `ord_${'0'.repeat(26)}`;
  for (const [path, text] of [
    ['', 'No webhook yet'],
    ['orders', 'There are no orders yet'],
    ['webhooks', 'No webhook yet'],
    ['deliveries', 'No deliveries yet'],
    ['deliveries?state=failed', 'No delivery matches'],
    ['events', 'No events'],
    ['notifications', 'No notifications yet'],
    [`orders/${nothing}`, 'There is no such order'],
    ['nowhere', 'There is no such page'],
  ] as const) {
    await open(path);
    await page.getByText(text).first().waitFor();
    await expectAccessible(page, `${path} with nothing`);
  }

  // The network fails before the first response, and after it.
  await open('orders');
  await page.getByText('There are no orders yet').waitFor();
  await page.route('**/v1/**', (route) => route.abort());
  await page.getByRole('checkbox', { name: 'pending' }).click();
  await page.getByRole('button', { name: /^Try/ }).first().waitFor();
  await expectAccessible(page, 'a list that failed');
  for (const path of ['webhooks', `orders/${nothing}`]) {
    await open(path);
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, `${path} that failed`);
  }
  await page.unrouteAll();

  await page.locator('summary').filter({ hasText: 'Corner Shop' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Tradepost' }).waitFor();
  await expectAccessible(page, 'signing in');
  await page.getByLabel('Or use an API key').fill('tpk_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await expectAccessible(page, 'a wrong key');
});
