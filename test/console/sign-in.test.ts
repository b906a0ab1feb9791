import { expect, test } from 'vitest';
import { useConsole } from './open-console';

const site = useConsole();

test('a link signs in once, and leaves its code nowhere', async () => {
  const link = await site.createLink('seller');
  const code = new URL(link).hash.slice(1);
  const page = await site.openPage(await site.openWindow());
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(page.url()).toBe(`${site.server.url}/console/`);
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.length, location.href, document.cookie])',
  );
  expect(kept).not.toContain(code);
  expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toMatch(/tpk_/);
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain(code);

  site.expectStatus(401);
  const other = await site.openPage(await site.openWindow());
  await other.goto(link);
  await other.getByText('This sign-in code is not valid').waitFor();
  expect(other.url()).not.toContain(code);
});

test('a page opened in a new tab is signed in, and signing out ends both', async () => {
  const page = await site.signIn('seller', 'orders');
  const opened = page.context().waitForEvent('page');
  const link = page.getByRole('link', { name: /^ord_/ }).first();
  const id = await link.textContent();
  await link.click({ modifiers: ['ControlOrMeta'] });
  const tab = await opened;
  await tab.getByRole('heading', { level: 1, name: `Order ${id}` }).waitFor();

  await page.getByText('Highland Growers').first().click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  for (const one of [page, tab]) {
    await one.getByRole('heading', { name: 'Sign in to Tradepost' }).waitFor();
  }
  expect(tab.url()).toBe(`${site.server.url}/console/orders/${id}`);
});

test('an API key signs in too, and a wrong one says why not', async () => {
  const page = await site.openPage(await site.openWindow());
  await page.goto(`${site.server.url}/console/orders?status=pending`);
  const field = page.getByLabel('Or use an API key');
  site.expectStatus(401);
  await field.fill(`${site.seeded.seller.apiKey}x`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const problem = page.getByRole('alert');
  await problem.getByText(/^Unknown API key[.].* [(]request req_[0-9a-f]+[)]$/).waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toMatch(/tpk_/);

  await field.fill(site.seeded.seller.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  expect(new URL(page.url()).search).toBe('?status=pending');
});
