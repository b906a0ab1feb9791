import type { Route } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { forTest } from '../helpers/for-test';
import { placeOrders } from '../helpers/place-orders';
import { startHttpReceiver } from '../helpers/start-receiver';
import { describeOnBothStores, patienceMs } from './open-console';

const orderCount = 1_210;
/** While one delivery is pending, further ones fail at once; on PostgreSQL, a few may be pending too before that is known. */
const args = ['--max-open-deliveries', '1', '--rate-limit', '100000'];

describeOnBothStores((site) => {
  test('all that failed are replayed once each, with stops midway and at the end, and another key', async () => {
    const client = site.client('seller');
    const receiver = await forTest(startHttpReceiver());
    const { id: webhookId = '' } = await client.webhooks.create({
      url: receiver.url,
      events: ['order.created'],
    });
    await client.webhooks.update(webhookId, { status: 'paused' });
    await placeOrders(site.seeded, orderCount);
    await client.webhooks.update(webhookId, { status: 'active' });
    const list = (state: 'failed' | 'pending' | 'delivered') =>
      client.deliveries.list({ webhookId, state, limit: 100 }).toArray({ limit: 2_000 });
    const { length: failed } = await list('failed');
    expect(failed).toBeGreaterThan(1_150);

    const key = await client.keys.create({ name: 'for a replay' });
    const page = await site.openPage(await site.openWindow());
    // The replay finds out that the key is revoked, not the log of events.
    await page.route(/[/]v1[/]events[?]after/, () => new Promise(() => {}));
    await page.goto(`${site.server.url}/console/deliveries?webhook=${webhookId}&state=failed`);
    await page.getByLabel('Or use an API key').fill(key.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Replay all that match' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay all that match' });
    await dialog.getByText('1,000 or more deliveries match.').waitFor();

    // The sixth step and the last one are under way when the person stops. A request in between is rejected.
    const lastStep = Math.ceil(failed / 100);
    const held: Route[] = [];
    let requests = 0;
    await page.route(/\/replays$/, async (route) => {
      requests += 1;
      if (requests === 6 || requests === lastStep + 1) held.push(route);
      else await route.continue();
    });
    const stopAfter = async (steps: number) => {
      await dialog.getByText(`${(100 * steps).toLocaleString('en')} queued`).waitFor();
      await dialog.getByRole('button', { name: 'Stop' }).click();
      await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: patienceMs });
      await held.pop()?.continue();
    };
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await stopAfter(5);
    await dialog.getByText('600 queued. Stopped: what is queued is sent.').waitFor();
    expect(await list('failed')).toHaveLength(failed - 600);

    site.expectStatus(401);
    await client.keys.revoke(key.id);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const again = page.getByRole('dialog', { name: 'Your session is over' });
    await again.getByLabel('Or use an API key').fill(site.seeded.seller.apiKey);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await stopAfter(lastStep - 1);
    await dialog.getByText(`${failed.toLocaleString('en')} queued. Done.`).waitFor();
    // Nothing is left: whoever signed in again meanwhile would begin at the first delivery.
    expect(await dialog.getByRole('button', { name: 'Continue' }).count()).toBe(0);
    await dialog.getByText('Close', { exact: true }).click();
    await page.getByRole('heading', { name: 'No delivery matches' }).waitFor();

    await expect.poll(() => list('pending'), { timeout: 60_000 }).toEqual([]);
    const delivered = await list('delivered');
    expect(delivered).toHaveLength(orderCount);
    expect(delivered.filter(({ attemptCount }) => attemptCount !== 1)).toEqual([]);
    // None was queued twice: each event arrived once.
    const arrived = receiver.arrivals.map(({ headers }) => String(headers['webhook-id']));
    expect(arrived.toSorted()).toEqual(delivered.map(({ eventId }) => eventId).toSorted());
  });
}, args);
