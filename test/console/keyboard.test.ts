import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { forTest } from '../helpers/for-test';
import { placeOrders } from '../helpers/place-orders';
import { registerWebhook } from '../helpers/register-webhook';
import { startHttpReceiver } from '../helpers/start-receiver';
import { patienceMs, useConsole } from './open-console';

const site = useConsole();

/** What has the focus, and whether a person sees that it has. */
interface Focused {
  name: string;
  isInMain: boolean;
  isInDialog: boolean;
  isSeen: boolean;
}

const describeFocus = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { top, bottom } = element.getBoundingClientRect();
  return {
    name: element === document.body ? 'nothing' : (element.ariaLabel ?? element.labels?.[0]?.querySelector('span')?.textContent ?? element.labels?.[0]?.textContent ?? element.textContent).trim(),
    isInMain: element.closest('main') !== null,
    isInDialog: element.closest('dialog') !== null,
    // The content as a whole gets it after a change of pages, as a place to go on from.
    isSeen: element.matches('main') || (outlineStyle !== 'none' && outlineWidth !== '0px' && bottom > 0 && top < innerHeight),
  };
})()`;

/** A person who uses the keys alone. After each key, something has the focus, and shows it. */
class Typist {
  constructor(readonly page: Page) {}

  async press(...keys: string[]): Promise<Focused> {
    for (const key of keys) await this.page.keyboard.press(key);
    return await this.until(() => {});
  }

  /** Waits until the focus is somewhere, is seen, and satisfies a condition. */
  async until(check: (focused: Focused) => void): Promise<Focused> {
    return await vi.waitFor(
      async () => {
        const focused = await this.page.evaluate<Focused>(describeFocus);
        expect(focused.name).not.toBe('nothing');
        expect(focused.isSeen, `the focus on ${focused.name} is seen`).toBe(true);
        check(focused);
        return focused;
      },
      { timeout: patienceMs, interval: 50 },
    );
  }

  /** Presses Tab until something has the focus. */
  async tabTo(name: string | RegExp): Promise<void> {
    const passed: string[] = [];
    for (;;) {
      const focused = await this.press('Tab');
      if (typeof name === 'string' ? focused.name === name : name.test(focused.name)) return;
      passed.push(focused.name);
      if (passed.length > 60)
        throw new Error(`Tab does not reach ${name}, only ${passed.join(', ')}`);
    }
  }

  async signIn(path: string, heading: string): Promise<void> {
    await this.page.goto(`${site.server.url}/console/${path}`);
    await this.page.getByRole('heading', { name: 'Sign in to Tradepost' }).waitFor();
    await this.tabTo('Or use an API key');
    await this.page.keyboard.type(site.seeded.seller.apiKey);
    await this.page.keyboard.press('Enter');
    await this.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
}

async function open(): Promise<Typist> {
  return new Typist(await site.openPage(await site.openWindow()));
}

test('orders are changed together with the keys alone', async () => {
  site.expectStatus(412);
  const client = site.client('seller');
  await placeOrders(site.seeded, 4);
  const typist = await open();
  const { page } = typist;
  await typist.signIn('orders?status=pending&sort=createdAt', 'Orders');
  const links = page.getByRole('row').getByRole('link', { name: /^ord_/ });
  await links.nth(5).waitFor();
  const ids = await links.allTextContents();
  const address = page.url();

  // Keys that move do not open.
  expect((await typist.press('j')).name).toBe(ids[0]);
  expect((await typist.press('j', 'j')).name).toBe(ids[2]);
  expect((await typist.press('k')).name).toBe(ids[1]);
  expect(page.url()).toBe(address);
  await typist.press('x', 'j', 'j', 'j', 'Shift+X');
  await page.getByRole('button', { name: 'Change 4 selected' }).waitFor();
  await client.orders.update(ids[2] ?? '', { status: 'cancelled' });

  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Change 4 orders' });
  await dialog.waitFor();
  await typist.until(({ name }) => expect(name).toBe('New status'));
  await page.keyboard.press('ArrowDown');
  expect(await dialog.getByLabel('New status').inputValue()).toBe('confirmed');
  await typist.tabTo('Change 4');
  await typist.press('Enter');
  await dialog.getByText('3 changed, 1 changed by others meanwhile, 0 failed, 0 left.').waitFor();
  await typist.until((focused) => expect(focused.isInDialog).toBe(true));

  // What had the focus before is gone, with its row.
  await typist.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await vi.waitFor(async () => expect(await links.count()).toBe(2), { timeout: patienceMs });
  await typist.until(({ isInMain, isInDialog }) =>
    expect([isInMain, isInDialog]).toEqual([true, false]),
  );
  expect((await client.orders.get(ids[4] ?? '')).status).toBe('confirmed');
});

test('a failed delivery is found, replayed and delivered with the keys alone', async () => {
  const client = site.client('seller');
  let isBroken = true;
  const receiver = await forTest(
    startHttpReceiver((response) => response.writeHead(isBroken ? 500 : 204).end()),
  );
  const { id } = await registerWebhook(client, { url: receiver.url, events: ['order.created'] });
  const delivery = await client.webhooks.test(id, { event: 'order.created' });
  await receiver.until(({ length }) => length > 0);
  const typist = await open();
  const { page } = typist;
  await typist.signIn('', 'Overview');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
  await page.getByRole('link', { name: delivery.id }).waitFor();
  expect((await typist.press('j')).name).toBe(delivery.id);
  await typist.press('Enter');
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.waitFor();
  await typist.until(({ isInMain }) => expect(isInMain).toBe(true));

  isBroken = false;
  await typist.tabTo('Replay');
  await typist.press('Enter');
  await verdict.getByText('Delivered').waitFor();
  // A busy button keeps the focus.
  await typist.until(({ name }) => expect(name).toBe('Replay'));
  await page.keyboard.press('r');
  await receiver.until(({ length }) => length > 2);
  await typist.press('u');
  await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
  await typist.until(({ isInMain }) => expect(isInMain).toBe(true));
});

test('a secret is replaced with the keys alone', async () => {
  const client = site.client('seller');
  const { id, url } = await registerWebhook(client, {
    url: 'http://127.0.0.1:9/rotated',
    events: ['webhook.disabled'],
  });
  const typist = await open();
  const { page } = typist;
  await typist.signIn('webhooks', 'Webhooks');
  await page.getByRole('link', { name: url }).waitFor();
  while ((await typist.press('j')).name !== url);
  await typist.press('Enter');
  await page.getByRole('heading', { level: 1, name: url }).waitFor();
  await typist.tabTo('Secret');
  await typist.press('Enter');
  await page.getByRole('heading', { name: '1. Create a new secret' }).waitFor();
  await typist.tabTo('Create a new secret');
  await typist.press('Enter');
  await page.getByText(/^whsec_/).waitFor();
  await typist.tabTo('I have stored it');
  await typist.press('Enter');
  await typist.until(({ name }) => expect(name).toBe('Create a new secret'));
  await typist.tabTo('All receivers accept both');
  await typist.press(' ');
  await typist.tabTo('Use the new secret');
  await typist.press('Enter');
  await page.getByText('The new secret is in use.').waitFor();
  await typist.until(({ isInMain, name }) =>
    expect([isInMain, name]).not.toEqual([true, 'Use the new secret']),
  );
  expect((await client.webhooks.get(id)).stagedSecretAt).toBeNull();
});

test('palette, help and menus open and close with keys, which can be turned off', async () => {
  const typist = await open();
  const { page } = typist;
  await typist.signIn('orders', 'Orders');
  const links = page.getByRole('row').getByRole('link', { name: /^ord_/ });
  await links.first().waitFor();
  const [first = '', second = ''] = await links.allTextContents();
  await typist.press('j');

  for (const [key, title] of [
    ['Control+k', 'Go to'],
    ['Shift+?', 'Keys'],
  ] as const) {
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.waitFor();
    await typist.until(({ isInDialog }) => expect(isInDialog).toBe(true));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await typist.until(({ name }) => expect(name).toBe(first));
  }
  // Other keyboards have "?" beside M, or need AltGr for it; signs of Ctrl are of the browser.
  const sendSign = (options: object) =>
    page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ key: '?', bubbles: true, ...options })}))`,
    );
  const help = page.getByRole('dialog', { name: 'Keys' });
  await sendSign({ code: 'Minus', ctrlKey: true });
  expect(await help.count()).toBe(0);
  for (const options of [
    { code: 'KeyM' },
    { code: 'Minus', ctrlKey: true, altKey: true, modifierAltGraph: true },
  ]) {
    await sendSign(options);
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to' }).waitFor();
  await typist.until(({ name }) => expect(name).toBe('A page, an ID, a name or a URL'));
  await page.keyboard.type(`see ${second}`);
  await page.locator('[role=option][data-highlighted]', { hasText: `Order ${second}` }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: `Order ${second}` }).waitFor();
  await typist.until(({ isInDialog }) => expect(isInDialog).toBe(false));
  await typist.press('u');
  await links.first().waitFor();

  // The menu of the account has the choice, and it is the last of the header.
  while (!(await typist.press('Shift+Tab')).name.startsWith('Highland Growers'));
  await typist.press('Enter');
  const choice = page.getByRole('checkbox', { name: 'Single keys are shortcuts' });
  await choice.waitFor();
  await typist.tabTo('Single keys are shortcuts');
  await typist.press('Space');
  expect(await choice.isChecked()).toBe(false);
  const address = page.url();
  const before = await typist.until(() => {});
  for (const key of ['j', 'x', 'c', '/', 'Shift+?', 'g', 'w', 'u']) await page.keyboard.press(key);
  // A key that always works comes after them, so they have been handled.
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.keyboard.press('Escape');
  await typist.until(({ name }) => expect(name).toBe(before.name));
  expect(page.url()).toBe(address);

  // Nobody is told of keys where no keyboard is likely.
  const hint = page.getByRole('banner').getByText('Ctrl K');
  expect(await hint.isVisible()).toBe(true);
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await hint.isVisible()).toBe(false);
});
