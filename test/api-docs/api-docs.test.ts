import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../helpers/open-browser';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { type ApiDocs, openApiDocs, tryOut, type View } from './open-api-docs';

interface Operation {
  operationId: string;
  tags: string[];
  description: string;
  'x-extension'?: boolean;
  'x-codeSamples'?: { lang: string; label?: string; source: string }[];
}

interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
}

let seeded: SeededServer;
let browser: OpenBrowser;
let document: OpenApiDocument;
let docs: ApiDocs;

beforeAll(async () => {
  seeded = await startSeededServer();
  browser = await openBrowser();
  const response = await fetch(`${seeded.server.url}/openapi.json`);
  document = (await response.json()) as OpenApiDocument;
  return async () => {
    await browser.close();
    await seeded.close();
  };
});

afterEach(async () => {
  await docs.page.close();
  expect(docs.faults).toEqual([]);
});

/** Opens the page for one test. After the test it is closed, and must have no faults. */
async function open(view?: View): Promise<ApiDocs> {
  docs = await openApiDocs(browser.context, seeded.server.url, view);
  return docs;
}

function createdOrder() {
  const [listing] = seeded.seed.listings;
  return { listingId: listing?.id, quantity: 1 };
}

async function countOrders(): Promise<number> {
  const headers = { Authorization: `Bearer ${seeded.buyer.apiKey}` };
  const response = await fetch(`${seeded.server.url}/v1/orders?limit=100`, { headers });
  return ((await response.json()) as { data: unknown[] }).data.length;
}

const views: View[] = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { colorScheme, width: 1280 },
  { colorScheme, width: 390 },
]);

test.each(views)('axe finds no violation in $colorScheme colours, $width px wide', async (view) => {
  const { page, findViolations, authorize, openOperation } = await open(view);
  const isDark = await page.evaluate("document.documentElement.classList.contains('dark-mode')");
  expect(isDark).toBe(view.colorScheme === 'dark');
  expect(await findViolations(), 'the list of operations').toEqual([]);

  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  expect(await findViolations(), 'the dialog for the key').toEqual([]);
  await page.keyboard.press('Escape');
  await authorize(seeded.buyer.apiKey);

  await openOperation('orders', 'getOrder');
  expect(await tryOut(await openOperation('orders', 'listOrders'))).toBe(200);
  expect(await tryOut(await openOperation('orders', 'createOrder'), createdOrder())).toBe(201);
  await openOperation('webhooks', 'onOrderCreated');
  await page.getByRole('button', { name: 'Schemas' }).click();
  await page.locator('.models .json-schema-2020-12-accordion').first().click();
  expect(await findViolations(), 'operations, responses, an event and the schemas').toEqual([]);

  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  expect(await findViolations(), 'the dialog with a key').toEqual([]);
});

test('nothing is wider than the window of a phone', async () => {
  const { page, openOperation } = await open({ colorScheme: 'light', width: 390 });
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const events = Object.values(document.webhooks).map(({ post }) => ({
    ...post,
    tags: ['webhooks'],
  }));
  for (const { tags, operationId } of [...operations, ...events]) {
    const operation = await openOperation(tags[0] ?? '', operationId);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width, operationId).toBe(390);
    await operation.locator('.opblock-summary-control').click();
  }
});

/** Starts a reverse proxy that serves a server under a path prefix, and nothing else. */
async function startPrefixProxy(target: string, prefix: string) {
  const proxy = createServer((req, res) => {
    if (!req.url?.startsWith(`${prefix}/`)) {
      res.writeHead(404).end();
      return;
    }
    const { method, headers } = req;
    const url = target + req.url.slice(prefix.length);
    const forwarded = sendRequest(url, { method, headers }, (response) => {
      res.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(res);
    });
    req.pipe(forwarded);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`,
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

test('behind a proxy with a path prefix, the page loads and tries requests there', async () => {
  const proxy = await startPrefixProxy(seeded.server.url, '/trade');
  try {
    docs = await openApiDocs(browser.context, proxy.url);
    await docs.authorize(seeded.buyer.apiKey);
    const operation = await docs.openOperation('orders', 'listOrders');
    expect(await tryOut(operation)).toBe(200);
    expect(await operation.locator('.request-url').textContent()).toContain(
      `${proxy.url}/v1/orders`,
    );
    await docs.page.goto(`${proxy.url}/docs/`);
    expect(docs.page.url()).toBe(`${proxy.url}/docs`);
  } finally {
    proxy.close();
  }
});

describe('"Try it out"', () => {
  test('without a key, it shows the 401', async () => {
    const { openOperation, faults } = await open();
    expect(await tryOut(await openOperation('account', 'getAccount'))).toBe(401);
    // The browser reports the failed request itself.
    expect(faults.splice(0)).toEqual([expect.stringContaining('status of 401')]);
  });

  test('with a pasted key, it lists orders and creates one', async () => {
    const { authorize, openOperation } = await open();
    await authorize(seeded.buyer.apiKey);
    const list = await openOperation('orders', 'listOrders');
    expect(await tryOut(list)).toBe(200);
    const body = list.locator('.live-responses-table .highlight-code').first();
    expect(await body.textContent()).toContain(seeded.buyer.id);

    const before = await countOrders();
    expect(await tryOut(await openOperation('orders', 'createOrder'), createdOrder())).toBe(201);
    expect(await countOrders()).toBe(before + 1);
  });

  test('it sends only the values that were entered', async () => {
    const { page, authorize, openOperation } = await open();
    await authorize(seeded.buyer.apiKey);
    const operation = await openOperation('orders', 'listOrders');
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.url().includes('/v1/orders')),
      tryOut(operation),
    ]);
    expect(new URL(request.url()).search).toBe('');
    expect(await request.headerValue('x-request-id')).toBeNull();
    const fields = operation.locator('.parameters input');
    for (const field of await fields.all()) expect(await field.inputValue()).toBe('');
  });

  test('it accepts a key that was pasted with its scheme, and hides it', async () => {
    const { page, authorize, openOperation } = await open();
    await authorize(`Bearer ${seeded.buyer.apiKey} `);
    expect(await tryOut(await openOperation('account', 'getAccount'))).toBe(200);
    await page.reload();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const field = page.getByRole('dialog').locator('input');
    expect(await field.getAttribute('type')).toBe('password');
    expect(await field.getAttribute('autocomplete')).toBe('off');
  });

  test('it stores no key: a page that is opened again has none', async () => {
    const { page, authorize } = await open();
    await authorize(seeded.buyer.apiKey);
    const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage])');
    expect(stored).toBe('[{},{}]');
    expect(await browser.context.cookies()).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    expect(await page.getByRole('dialog').locator('input').inputValue()).toBe('');
  });
});

test('the page can be used with the keyboard alone', async () => {
  const { page } = await open();
  const { keyboard } = page;
  const focused = () =>
    page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText',
    );
  // The first two controls are links; the third is the choice of the server.
  const visited: string[] = [];
  while (visited.at(-1) !== 'Authorize' && visited.length < 10) {
    await keyboard.press('Tab');
    visited.push((await focused()).trim());
  }
  expect(visited).toContain('Servers');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keyboard.type(seeded.buyer.apiKey);
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Logout' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toContain('Authorize');

  const control = page.locator('#operations-orders-listOrders .opblock-summary-control');
  await control.focus();
  await keyboard.press('Enter');
  await page.locator('#operations-orders-listOrders .opblock-body').waitFor();
  expect(new URL(page.url()).hash).toBe('#/orders/listOrders');
});

test('the page shows every operation of the document, and which ones are extensions', async () => {
  const { page } = await open();
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { tags, operationId, ...fields } of operations) {
    const operation = page.locator(`[id="operations-${tags[0]}-${operationId}"]`);
    expect(await operation.count()).toBe(1);
    const isExtension = fields['x-extension'] ?? false;
    expect(await operation.getByText('x-extension', { exact: true }).isVisible()).toBe(isExtension);
  }
});

test('the page shows every webhook event, and how to verify it', async () => {
  const { openOperation } = await open();
  const events = Object.entries(document.webhooks);
  expect(events.length).toBeGreaterThan(0);
  for (const [name, { post }] of events) {
    const event = await openOperation('webhooks', post.operationId);
    expect(await event.locator('.opblock-summary-path').getAttribute('data-path')).toBe(name);
    const text = await event.locator('.opblock-description').textContent();
    expect(text).toContain('To verify it:');
    expect(text).toContain('Service-Signature');
    expect(await event.getByRole('button', { name: 'Try it out' }).count()).toBe(0);
  }
});

describe('code samples', () => {
  test('of every operation in the document are shown with their labels', async () => {
    const { openOperation } = await open();
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    for (const { tags, operationId, 'x-codeSamples': samples } of operations) {
      if (samples === undefined) continue;
      const operation = await openOperation(tags[0] ?? '', operationId);
      const labels = await operation.locator('.code-samples-choice button').allInnerTexts();
      expect(labels).toEqual(samples.map(({ lang, label }) => label ?? lang));
    }
  });

  test('change with the button that is pressed', async () => {
    const samples = [
      { lang: 'shell', label: 'CLI', source: 'tradepost orders list' },
      { lang: 'typescript', source: 'await tradepost.orders.list();' },
    ];
    const changed = structuredClone(document);
    Object.assign(changed.paths['/v1/orders']?.get ?? {}, { 'x-codeSamples': samples });
    const url = `${seeded.server.url}/openapi.json`;
    await browser.context.route(url, (route) => route.fulfill({ json: changed }));
    const { openOperation, findViolations } = await open();
    await browser.context.unroute(url);
    const operation = await openOperation('orders', 'listOrders');
    const code = operation.locator('.code-samples .highlight-code');
    expect((await code.textContent())?.trim()).toBe('tradepost orders list');
    expect(await operation.getByRole('button', { name: 'CLI', pressed: true }).count()).toBe(1);
    await operation.getByRole('button', { name: 'typescript', pressed: false }).click();
    await operation.getByRole('button', { name: 'typescript', pressed: true }).waitFor();
    expect((await code.textContent())?.trim()).toBe('await tradepost.orders.list();');
    expect(await findViolations()).toEqual([]);
  });
});
