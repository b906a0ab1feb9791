import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { startHttpReceiver } from '../helpers/start-receiver';
import { describeOnBothStores } from './open-console';

/** What the receiver responds to test events, to each its own; null for a closed connection. */
const responses = [204, 302, 404, 204, 503, null, 204];
const columns = ['Delivered', 'Failed', '2xx', '3xx', '4xx', '5xx', 'No response'] as const;

/** Reads what a page says about a webhook: its totals by their names, and the rows of its table without their times. */
async function readHealth(page: Page) {
  await page.getByText(/^In numbers, by/).click();
  const table = page.getByRole('table');
  await table.waitFor();
  const names = await table.getByRole('columnheader').allInnerTexts();
  const rows = await Promise.all(
    (await table.getByRole('row').all())
      .slice(1)
      .map((row) => row.getByRole('cell').allInnerTexts()),
  );
  const sums = columns.map((name) => {
    const index = names.indexOf(name) - 1;
    return [name, rows.reduce((sum, cells) => sum + Number(cells[index]), 0)];
  });
  const terms = await page.getByRole('term').allInnerTexts();
  const values = await page.getByRole('definition').allInnerTexts();
  return {
    totals: Object.fromEntries(terms.map((term, index) => [term, values[index]])),
    sums: Object.fromEntries(sums),
    rows,
  };
}

/** Returns how many different markers the legend of each chart has, apart from their colours. */
function readMarkers(page: Page): Promise<number[]> {
  return page.evaluate(`[...document.querySelectorAll('.u-legend')].map((legend) => {
    const markers = [...legend.querySelectorAll('.u-series:not(:first-child) .u-marker')];
    const looks = markers.map((marker) => {
      const { backgroundColor, borderStyle } = getComputedStyle(marker);
      const isFilled = backgroundColor !== 'rgba(0, 0, 0, 0)';
      return isFilled + ' ' + borderStyle;
    });
    return new Set(looks).size;
  })`);
}

describeOnBothStores((site) => {
  test('the health of a webhook equals its recorded attempts, also after a restart', async () => {
    const client = site.client('seller');
    let isBroken = true;
    // A request on a connection that was closed is sent again within an attempt.
    const findEvents = () => [
      ...new Set(receiver.arrivals.map(({ headers }) => headers['webhook-id'])),
    ];
    const receiver = await forTest(
      startHttpReceiver((response, number) => {
        const event = receiver.arrivals[number - 1]?.headers['webhook-id'];
        const [status = isBroken ? 503 : 204] = responses.slice(findEvents().indexOf(event));
        if (status === null) response.destroy();
        else response.writeHead(status).end();
      }),
    );
    const { id: webhookId = '' } = await client.webhooks.create({
      url: receiver.url,
      events: ['order.created'],
    });
    /** Waits until a delivery has attempts, and the last one is recorded. */
    const untilAttempts = (id: string, count: number) =>
      expect
        .poll(async () => (await client.deliveries.get(id)).attempts.length, { timeout: 60_000 })
        .toBeGreaterThanOrEqual(count);
    const ids: string[] = [];
    for (const _ of responses) {
      const { id } = await client.webhooks.test(webhookId, { event: 'order.created' });
      await untilAttempts(id, 1);
      ids.unshift(id);
    }
    const [listing] = site.seeded.seed.listings;
    await site.client('buyer').orders.create({ listingId: listing?.id ?? '', quantity: 1 });
    const [retried] = await client.deliveries.list({ webhookId }).toArray({ limit: 1 });
    ids.unshift(retried?.id ?? '');
    await untilAttempts(retried?.id ?? '', 1);
    isBroken = false;
    // One that is retried, and one that was delivered already.
    for (const id of [retried?.id ?? '', ids.at(-1) ?? '']) await client.deliveries.replay(id);
    await expect
      .poll(() => client.deliveries.list({ webhookId, state: 'pending' }).toArray({ limit: 1 }), {
        timeout: 60_000,
      })
      .toEqual([]);

    const deliveries = await Promise.all(ids.map((id) => client.deliveries.get(id)));
    const statuses = deliveries.flatMap(({ attempts }) => attempts.map(({ status }) => status));
    const count = (first: number) =>
      statuses.filter((status) => Math.floor((status ?? 0) / 100) === first).length;
    const recorded = {
      // Each 2xx ends a delivery; that of a replay, once more.
      Delivered: count(2),
      Failed: deliveries.filter(({ state }) => state === 'failed').length,
      ...{
        '2xx': count(2),
        '3xx': count(3),
        '4xx': count(4),
        '5xx': count(5),
        'No response': count(0),
      },
    };
    expect(Object.entries(recorded).filter(([, number]) => number === 0)).toEqual([]);

    const path = `webhooks/${webhookId}/health?window=1h`;
    const page = await site.signIn('seller', path);
    const shown = await readHealth(page);
    expect(shown.sums).toEqual(recorded);
    expect(shown.totals).toMatchObject({
      'Attempts that succeeded': `${((100 * count(2)) / statuses.length).toFixed(1)} %`,
      'Deliveries delivered': String(recorded.Delivered),
      'Deliveries failed for good': String(recorded.Failed),
    });

    // Where the person has chosen the colours, all series have the same.
    await page.emulateMedia({ forcedColors: 'active' });
    await expect.poll(() => readMarkers(page), { timeout: 60_000 }).toEqual([2, 2]);

    await page.close();
    await site.restart();
    expect(await readHealth(await site.signIn('seller', path))).toEqual(shown);
  });
});
