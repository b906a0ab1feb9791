import { expect, test } from 'vitest';
import { tryOut, type View } from './open-api-docs';
import { useApiDocs } from './use-api-docs';

const docs = useApiDocs();

/** Colours differ by the scheme, and the layout by the width. */
const views: View[] = [
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'dark', width: 1280 },
];

test.each(views)('axe finds no violation in $colorScheme colours, $width px wide', async (view) => {
  const { page, findViolations, authorize, openOperation } = await docs.open(view);
  const isDark = await page.evaluate("document.documentElement.classList.contains('dark-mode')");
  expect(isDark).toBe(view.colorScheme === 'dark');
  const dialog = '.modal-ux';

  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  expect(await findViolations(dialog), 'the dialog for the key').toEqual([]);
  await page.keyboard.press('Escape');
  await authorize(docs.buyer.apiKey);

  await openOperation('orders', 'getOrder');
  expect(await tryOut(await openOperation('orders', 'listOrders'))).toBe(200);
  expect(await tryOut(await openOperation('orders', 'createOrder'), docs.order())).toBe(201);
  await openOperation('webhooks', 'onOrderCreated');
  await page.getByRole('button', { name: 'Schemas' }).click();
  await page.locator('.models .json-schema-2020-12-accordion').first().click();
  expect(
    await findViolations(),
    'the list with operations, responses, an event and the schemas',
  ).toEqual([]);

  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  expect(await findViolations(dialog), 'the dialog with a key').toEqual([]);
});
