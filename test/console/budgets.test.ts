import { expect, test } from 'vitest';
import { placeOrders } from '../helpers/place-orders';
import { useConsole } from './open-console';

const site = useConsole(['--rate-limit', '100000']);

/** Counts the requests of a page to the API until its first row of orders is in the document. */
const countUntilFirstRow = `(() => {
  let requests = 0;
  const send = globalThis.fetch;
  globalThis.fetch = (...args) => {
    if (new URL(args[0].url ?? args[0], location.href).pathname.startsWith('/v1/')) requests += 1;
    return send(...args);
  };
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('main a[href*="/orders/ord_"]') === null) return;
    observer.disconnect();
    globalThis.requestsUntilFirstRow = requests;
  }).observe(document, { childList: true, subtree: true });
})()`;

test('a list of orders has its first row after three requests, and a hundred rows are a light document', async () => {
  await placeOrders(site.seeded, 100);
  const page = await site.signIn('seller');
  await page.addInitScript(countUntilFirstRow);
  await page.goto(`${site.server.url}/console/orders`);
  const rows = page.getByRole('main').getByRole('link', { name: /^ord_/ });
  await rows.nth(99).waitFor();
  expect(await rows.count()).toBe(100);
  const requests = await page.evaluate('requestsUntilFirstRow');
  expect(requests).toBeGreaterThan(0);
  expect(requests).toBeLessThanOrEqual(3);
  expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThanOrEqual(2_500);
});
