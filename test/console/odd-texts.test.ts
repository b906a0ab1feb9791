import { Tradepost } from '@tradepost/sdk';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { registerWebhook } from '../helpers/register-webhook';
import { runServerCommand } from '../helpers/run-server-command';
import { startHttpReceiver } from '../helpers/start-receiver';
import { patienceMs, useConsole } from './open-console';
import { expectOwnMarkup } from './own-markup';

const site = useConsole();
const phone = { colorScheme: 'light', width: 360 } as const;
const desk = { colorScheme: 'dark', width: 1280 } as const;

/** Markup, entities, and words that are read from right to left, in all that people may name. */
const buyerName = '<img src=x onerror=console.error(1)>&amp; بستان 1-2';
const title = `</td><script>console.error("tea")</script> תה 60 kg, ${'wide'.repeat(36)}`;
const reason = 'לא במלאי: <b>2</b> of 9007199254740993 & "more"';
const description = '{{7*7}} $' + '{7*7} <style>*{display:none}</style> سلام';
const query = '?q=<script>console.error(1)</script>&n=9007199254740993&f=\u202egpj.exe';
/** An override turns the direction of what follows it. Only those who are not the service may send one. */
const response =
  '{"n":9007199254740993,"rate":1.10,"html":"</pre><script>console.error(1)</script>","file":"\u202egpj.exe\u3164"}\r\n';

let buyerKey: string;
let url: string;
let orderId: string;
let webhookId: string;
let deliveryId: string;

beforeAll(async () => {
  const { database } = site.server;
  const receiver = await startHttpReceiver((reply) =>
    reply
      .writeHead(302, {
        'content-type': 'text/html',
        location: 'javascript:console.error(2)',
        'retry-after': '<script>console.error(3)</script>',
        'set-cookie': 'tradepost=evil',
      })
      .end(response),
  );
  const seller = site.client('seller');
  const buyer = await runServerCommand<{ apiKey: string }>(
    ['accounts', 'create', '--kind', 'buyer', '--name', buyerName],
    database,
  );
  buyerKey = buyer.apiKey;
  const listing = await runServerCommand<{ id: string }>(
    ['listings', 'create', '--seller', site.seeded.seller.id, '--quantity', '9', '--title', title],
    database,
  );
  const webhook = await registerWebhook(seller, {
    url: receiver.url + query,
    description,
    events: ['order.status_changed'],
  });
  // As the service writes it: with what is not ASCII as percent escapes.
  ({ id: webhookId, url } = webhook);
  const client = new Tradepost({ baseUrl: site.server.url, apiKey: buyerKey });
  orderId = (await client.orders.create({ listingId: listing.id, quantity: 2 })).id;
  await seller.orders.update(orderId, { status: 'cancelled', reason });
  await vi.waitFor(
    async () => {
      const { data } = await seller.deliveries.list({ webhookId });
      expect(data[0]?.lastStatus).toBe(302);
      deliveryId = data[0]?.id ?? '';
    },
    { timeout: patienceMs },
  );
  return receiver.close;
});

/** How an element that has a text, and nothing else, is laid out. */
interface Shown {
  /** Whether the direction of its text ends with it. */
  isIsolated: boolean;
  /** Whether it stays in the block it is in, or is cut off or scrolled there. */
  isInside: boolean;
}

/** Waits for a text, and finds the innermost elements that have exactly it. */
async function findShown(page: Page, text: string): Promise<Shown[]> {
  const all = `[...document.querySelectorAll('body *')].filter((one) => one.textContent === ${JSON.stringify(text)})`;
  await vi.waitFor(
    async () => expect(await page.evaluate(`${all}.length`), page.url()).toBeGreaterThan(0),
    { timeout: patienceMs, interval: 100 },
  );
  return await page.evaluate<Shown[]>(`(() => {
    const all = ${all};
    const isInline = (one) => getComputedStyle(one).display.startsWith('inline');
    const findBlock = (one) => (isInline(one) ? findBlock(one.parentElement) : one);
    const isIsolated = (one) =>
      all.includes(one) &&
      (!isInline(one) || /isolate|plaintext/.test(getComputedStyle(one).unicodeBidi) || isIsolated(one.parentElement));
    return all
      .filter((one) => !all.some((other) => one !== other && one.contains(other)))
      .map((one) => {
        const block = findBlock(one);
        const isOpen = getComputedStyle(block).overflowX === 'visible';
        return { isIsolated: isIsolated(one), isInside: !isOpen || block.scrollWidth <= block.clientWidth };
      });
  })()`);
}

async function expectShown(page: Page, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    for (const shown of await findShown(page, text)) {
      const where = `${text.slice(0, 200)} on ${page.url()}`;
      expect(shown, where).toEqual({ isIsolated: true, isInside: true });
    }
  }
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(overflow), page.url()).toBe(0);
  await expectOwnMarkup(page, page.url());
}

test.each([phone, desk])(
  'what people write is shown exactly, and turns nothing beside it, $width px wide',
  async (view) => {
    const page = await site.signIn('seller', '', view);
    const open = (path: string) => page.goto(`${site.server.url}/console/${path}`);
    await expectShown(page, url);
    await open('orders');
    await expectShown(page, buyerName, title);
    await open(`orders/${orderId}`);
    await expectShown(page, buyerName, title, reason);
    await open('webhooks');
    await expectShown(page, url, description);
    const boxes = [url, description].map((text) =>
      page.getByText(text, { exact: true }).boundingBox(),
    );
    const [link, below] = await Promise.all(boxes);
    expect((link?.y ?? 0) + (link?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    await open(`webhooks/${webhookId}/settings`);
    await expectShown(page, url);
    expect(await page.getByLabel('URL').inputValue()).toBe(url);
    expect(await page.getByLabel('Description').inputValue()).toBe(description);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this webhook?' });
    await dialog.getByText('The delivery that waits is cancelled.').waitFor();
    await expectShown(page, url);
  },
);

test('a name of markup is that of the menu of its account', async () => {
  const page = await site.openPage(await site.openWindow(), phone);
  await page.goto(`${site.server.url}/console/orders/${orderId}`);
  await page.getByLabel('Or use an API key').fill(buyerKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).filter({ hasText: orderId }).waitFor();
  await expectShown(page, buyerName, title, reason);
  const menu = page.locator('summary').filter({ hasText: buyerName });
  expect(await menu.textContent()).toContain(buyerName);
});

test('bodies are shown byte for byte: a megabyte, numbers beyond 2^53, overrides by their numbers', async () => {
  const huge = `{"n":9007199254740993,"rate":1.10,"big":1e400,"note":"<b>\u202egpj.exe","fill":"${'a <b> '.repeat(180_000)}"}`;
  expect(huge.length).toBeGreaterThan(2 ** 20);
  // No event of the service is that long yet.
  const connection = new Database(site.server.database);
  const change =
    'UPDATE events SET body = ? WHERE id = (SELECT event_id FROM deliveries WHERE id = ?)';
  connection.prepare(change).run(huge, deliveryId);
  connection.close();

  const page = await site.signIn('seller', `deliveries/${deliveryId}`, phone);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expectShown(page, huge);
  const size = Buffer.byteLength(huge).toLocaleString('en');
  await page.getByText(`${size} bytes`).waitFor();
  // Laid out, it has the same characters; only white space between them differs.
  const asJson = page.getByLabel('As JSON').last();
  await asJson.check();
  await page.getByText('"n": 9007199254740993,').waitFor();
  const laidOut = await page.locator('pre').filter({ hasText: '"fill": ' }).textContent();
  expect(laidOut?.replace(/\n {2}|\n(?=}$)|(?<=":) /g, '')).toBe(huge);
  await asJson.uncheck();
  await page.getByRole('listitem').locator('summary').last().click();
  await expectShown(page, response, url);
  // A letter without a shape.
  await page.locator('[data-code="U+3164"]').last().waitFor();
  await page.getByText('302').first().waitFor();
  expect(await page.context().cookies()).toEqual([]);

  // The override ends where it is shown: what follows stands to the right of it, letter for letter.
  await page.setViewportSize({ width: 1280, height: 900 });
  const places = await page.evaluate<number[]>(`(() => {
    const pre = [...document.querySelectorAll('pre')].find((one) => one.textContent === ${JSON.stringify(response)});
    const walker = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      const at = node.data.indexOf('gpj.exe');
      if (at === -1) continue;
      return [0, 1, 2].map((step) => {
        const range = document.createRange();
        range.setStart(node, at + step);
        range.setEnd(node, at + step + 1);
        return range.getBoundingClientRect().left;
      });
    }
  })()`);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(new Set(places).size).toBe(3);
});

test('a webhook cannot have the URL of a script', async () => {
  const page = await site.signIn('seller', 'webhooks');
  await page.getByRole('button', { name: 'Register a webhook' }).click();
  const dialog = page.getByRole('dialog');
  site.expectStatus(422);
  for (const url of ['javascript:console.error(1)', 'data:text/html,<script>1</script>']) {
    await dialog.getByLabel('URL').fill(url);
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByText('must be an absolute').waitFor();
  }
  await expectOwnMarkup(page, 'the dialog that registers');
});
