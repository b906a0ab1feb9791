import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { aNotification, BareService } from '../../packages/cli/test/helpers/minimal-service';
import { anOrder } from '../helpers/an-order';
import { useConsole } from './open-console';

const site = useConsole();
const known = [
  /^(GET|POST) [/]v1[/]orders$/,
  /^(GET|PATCH) [/]v1[/]orders[/][^/]+$/,
  /^GET [/]v1[/]notifications$/,
  /^PATCH [/]v1[/]notifications[/][^/]+$/,
  /^POST [/]v1[/]webhooks$/,
];

/** Returns the requests to endpoints that the service lacks: method, path and query. */
function findMissing({ seen }: BareService): string[] {
  return seen
    .filter(({ method, path }) => !known.some((pattern) => pattern.test(`${method} ${path}`)))
    .map(({ method, path, query }) => `${method} ${path}?${new URLSearchParams(query)}`);
}

/** Opens the console of a service with the seven endpoints, which rejects whatever is more. */
async function openBare(): Promise<{ service: BareService; page: Page }> {
  const service = await BareService.start();
  service.isStrict = true;
  service.orders = [anOrder({ id: 'ord_1', status: 'pending' }), anOrder({ id: 'ord_2' })];
  service.notifications = [
    aNotification({ orderId: 'ord_1', message: 'Order ord_1 was created.' }),
  ];
  const page = await site.openPage(await site.openWindow());
  await page.route('**/v1/**', (route) => {
    const { pathname, search } = new URL(route.request().url());
    return route.continue({ url: `${service.baseUrl}${pathname}${search}` });
  });
  return { service, page };
}

test('on a service with the seven endpoints, what they offer works and the rest is absent', async () => {
  site.expectStatus(404);
  const { service, page } = await openBare();
  await page.goto(`${site.server.url}/console/orders`);
  await page.getByLabel('Or use an API key').fill('a-key');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'ord_1' }).waitFor();
  const pages = page.getByRole('navigation', { name: 'Pages' });
  expect(await pages.getByRole('link').allTextContents()).toEqual([
    ...['Orders', 'Webhooks', 'Notifications', 'Developer'],
  ]);

  await page.getByRole('link', { name: 'ord_1' }).click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(service.orders[0]?.status).toBe('confirmed');

  await pages.getByRole('link', { name: 'Notifications' }).click();
  await page.getByText('Order ord_1 was created.').waitFor();

  await pages.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('This service does not list webhooks').waitFor();
  await page.getByRole('button', { name: 'Register a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('https://receiver.example/hooks');
  await dialog.getByRole('button', { name: 'Register' }).click();
  await page.getByText('whsec_c2VjcmV0').waitFor();
  // The account is asked for when one signs in.
  expect(findMissing(service)).toEqual(['GET /v1/account?']);
  expect(service.seen.map(({ headers }) => headers.authorization)).not.toContain(undefined);
});

test('an address of what such a service lacks says so, and asks for it once', async () => {
  site.expectStatus(404);
  site.expectStatus(400);
  const { service, page } = await openBare();
  await page.clock.install();
  await page.goto(`${site.server.url}/console/orders`);
  await page.getByLabel('Or use an API key').fill('a-key');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'ord_1' }).waitFor();
  for (const [path, shown] of [
    ['deliveries', 'This service has no deliveries'],
    ['deliveries/dlv_1', 'This service has no deliveries'],
    ['events', 'This service has no events'],
    ['webhooks/whk_1/health', 'This service does not list webhooks'],
    ['', 'ord_1'],
    ['orders/ord_1', 'Start fulfilling'],
  ] as const) {
    service.seen.length = 0;
    await page.goto(`${site.server.url}/console/${path}`);
    await page.getByText(shown).first().waitFor();
    // What is asked for again and again is asked for several times in a minute.
    await page.clock.runFor(60_000);
    await page.getByText(shown).first().waitFor();
    const missing = findMissing(service);
    expect(missing.toSorted(), path).toEqual([...new Set(missing)].toSorted());
  }
});
