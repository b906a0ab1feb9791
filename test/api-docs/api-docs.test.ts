import { beforeAll, describe, expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { startPrefixProxy } from '../helpers/start-prefix-proxy';
import { tryOut } from './open-api-docs';
import { useApiDocs } from './use-api-docs';

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

const docs = useApiDocs();
let document: OpenApiDocument;

beforeAll(async () => {
  const response = await fetch(`${docs.server.url}/openapi.json`);
  document = (await response.json()) as OpenApiDocument;
});

async function countOrders(): Promise<number> {
  const headers = { Authorization: `Bearer ${docs.buyer.apiKey}` };
  const response = await fetch(`${docs.server.url}/v1/orders?limit=100`, { headers });
  return ((await response.json()) as { data: unknown[] }).data.length;
}

test('every operation and event has its code samples and fits into the window of a phone, and an event says how to verify it', async () => {
  const { page, openOperation } = await docs.open({ colorScheme: 'light', width: 390 });
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const events = Object.entries(document.webhooks).map(([name, { post }]) => ({
    ...post,
    tags: ['webhooks'],
    name,
  }));
  expect(events.length).toBeGreaterThan(0);
  // A click renders everything that is shown again, so only the tag of the operation is.
  const headings = page.locator('.opblock-tag:visible');
  const showTag = (tag: string) => page.locator(`[id="operations-tag-${tag}"] button`).click();
  for (const heading of await headings.all()) await heading.getByRole('button').last().click();
  let shown: string | undefined;
  for (const {
    tags: [tag = ''],
    operationId,
    'x-codeSamples': samples,
    name,
  } of [...operations.map((operation) => ({ ...operation, name: undefined })), ...events]) {
    if (tag !== shown) await showTag(tag);
    shown = tag;
    const operation = await openOperation(tag, operationId);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width, operationId).toBe(390);
    const labels = await operation.locator('.code-samples-choice button').allInnerTexts();
    expect(labels).toEqual((samples ?? []).map(({ lang, label }) => label ?? lang));
    if (name !== undefined) {
      expect(await operation.locator('.opblock-summary-path').getAttribute('data-path')).toBe(name);
      const text = await operation.locator('.opblock-description').textContent();
      expect(text).toContain('To verify it:');
      expect(text).toContain('Service-Signature');
      expect(await operation.getByRole('button', { name: 'Try it out' }).count()).toBe(0);
    }
    // Many open operations make the page slow.
    await operation.locator('.opblock-summary-control').click();
  }
});

test('behind a proxy with a path prefix, the page loads and tries requests there', async () => {
  const proxy = await forTest(startPrefixProxy(docs.server.url, '/trade'));
  const { page, authorize, openOperation } = await docs.openAt(proxy.url);
  await authorize(docs.buyer.apiKey);
  const operation = await openOperation('orders', 'listOrders');
  expect(await tryOut(operation)).toBe(200);
  expect(await operation.locator('.request-url').textContent()).toContain(`${proxy.url}/v1/orders`);
  await page.goto(`${proxy.url}/docs/`);
  expect(page.url()).toBe(`${proxy.url}/docs`);
});

describe('"Try it out"', () => {
  test('without a key, it shows the 401', async () => {
    const { openOperation, faults } = await docs.open();
    expect(await tryOut(await openOperation('account', 'getAccount'))).toBe(401);
    // The browser reports the failed request itself.
    expect(faults.splice(0)).toEqual([expect.stringContaining('status of 401')]);
  });

  test('with a pasted key, it lists orders and creates one', async () => {
    const { authorize, openOperation } = await docs.open();
    await authorize(docs.buyer.apiKey);
    const list = await openOperation('orders', 'listOrders');
    expect(await tryOut(list)).toBe(200);
    const body = list.locator('.live-responses-table .highlight-code').first();
    expect(await body.textContent()).toContain(docs.buyer.id);

    const before = await countOrders();
    expect(await tryOut(await openOperation('orders', 'createOrder'), docs.order())).toBe(201);
    expect(await countOrders()).toBe(before + 1);
  });

  test('it sends only the values that were entered', async () => {
    const { page, authorize, openOperation } = await docs.open();
    await authorize(docs.buyer.apiKey);
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
    const { page, authorize, openOperation } = await docs.open();
    await authorize(`Bearer ${docs.buyer.apiKey} `);
    expect(await tryOut(await openOperation('account', 'getAccount'))).toBe(200);
    await page.reload();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const field = page.getByRole('dialog').locator('input');
    expect(await field.getAttribute('type')).toBe('password');
    expect(await field.getAttribute('autocomplete')).toBe('off');
  });

  test('it stores no key: a page that is opened again has none', async () => {
    const { page, authorize } = await docs.open();
    await authorize(docs.buyer.apiKey);
    const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage])');
    expect(stored).toBe('[{},{}]');
    expect(await docs.context.cookies()).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    expect(await page.getByRole('dialog').locator('input').inputValue()).toBe('');
  });
});

test('the page can be used with the keyboard alone', async () => {
  const { page } = await docs.open();
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
  await keyboard.type(docs.buyer.apiKey);
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
  const { page } = await docs.open();
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { tags, operationId, ...fields } of operations) {
    const operation = page.locator(`[id="operations-${tags[0]}-${operationId}"]`);
    expect(await operation.count()).toBe(1);
    const isExtension = fields['x-extension'] ?? false;
    expect(await operation.getByText('x-extension', { exact: true }).isVisible()).toBe(isExtension);
  }
});

test('code samples change with the button that is pressed', async () => {
  const samples = [
    { lang: 'shell', label: 'CLI', source: 'tradepost orders list' },
    { lang: 'typescript', source: 'await tradepost.orders.list();' },
  ];
  const changed = structuredClone(document);
  Object.assign(changed.paths['/v1/orders']?.get ?? {}, { 'x-codeSamples': samples });
  const url = `${docs.server.url}/openapi.json`;
  await docs.context.route(url, (route) => route.fulfill({ json: changed }));
  const { openOperation, findViolations } = await docs.open();
  await docs.context.unroute(url);
  const operation = await openOperation('orders', 'listOrders');
  const code = operation.locator('.code-samples .highlight-code');
  expect((await code.textContent())?.trim()).toBe('tradepost orders list');
  expect(await operation.getByRole('button', { name: 'CLI', pressed: true }).count()).toBe(1);
  await operation.getByRole('button', { name: 'typescript', pressed: false }).click();
  await operation.getByRole('button', { name: 'typescript', pressed: true }).waitFor();
  expect((await code.textContent())?.trim()).toBe('await tradepost.orders.list();');
  expect(await findViolations()).toEqual([]);
});
