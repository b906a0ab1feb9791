import { expect, test } from 'vitest';
import { placeOrders } from '../helpers/place-orders';
import { describeOnBothStores } from './open-console';

describeOnBothStores(
  (site) => {
    test('of fifty selected orders, those that someone changed meanwhile are left as they are', async () => {
      site.expectStatus(412);
      const client = site.client('seller');
      await placeOrders(site.seeded, 50);
      const page = await site.signIn('seller', 'orders?status=pending&sort=createdAt');
      const boxes = page.getByRole('checkbox', { name: /^Select ord_/ });
      await boxes.nth(49).waitFor();
      await boxes.first().click();
      await boxes.nth(49).click({ modifiers: ['Shift'] });
      await page.getByRole('button', { name: 'Change 50 selected' }).click();
      const ids = await page.getByRole('link', { name: /^ord_/ }).allInnerTexts();

      const others = [ids[3] ?? '', ids[20] ?? ''];
      for (const id of others) await client.orders.update(id, { status: 'cancelled' });
      const before = await client.events.latest({ limit: 1 });
      const dialog = page.getByRole('dialog', { name: 'Change 50 orders' });
      await dialog.getByLabel('New status').selectOption('confirmed');
      await dialog.getByRole('button', { name: 'Change 50' }).click();
      await dialog
        .getByText('48 changed, 2 changed by others meanwhile, 0 failed, 0 left.')
        .waitFor();
      for (const id of others) await dialog.getByText(id, { exact: true }).waitFor();
      expect(await dialog.getByText('cancelled', { exact: true }).count()).toBe(2);

      let changed = 0;
      for await (const event of client.events.list({ after: before.after, limit: 100 })) {
        if (event.event === 'order.status_changed') changed += 1;
      }
      expect(changed).toBe(48);
    });

    test('all loaded orders are selected at once, and changed', async () => {
      const client = site.client('seller');
      const [first = ''] = await placeOrders(site.seeded, 200);
      const { listingId } = await client.orders.get(first);
      const page = await site.signIn('seller', `orders?listing=${listingId}`);
      const rows = page.getByRole('checkbox', { name: /^Select ord_/ });
      const all = page.getByRole('checkbox', { name: /^Select all/ });
      await page.getByText('Select all 100 that are loaded').waitFor();
      await all.check();
      await page.getByText('100 orders selected').waitFor();
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('Select all 200 that are loaded').waitFor();
      const isPartly = () =>
        all.evaluate((box) => (box as { indeterminate?: boolean }).indeterminate);
      expect([await isPartly(), await all.isChecked()]).toEqual([true, false]);
      await all.check();
      expect([await isPartly(), await rows.last().isChecked()]).toEqual([false, true]);
      await all.uncheck();
      expect(await rows.first().isChecked()).toBe(false);
      await rows.first().check();
      expect([await isPartly(), await all.isChecked()]).toEqual([true, false]);
      await all.check();
      await page.getByText('200 orders selected').waitFor();

      await page.getByRole('button', { name: 'Change 200 selected' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change 200 orders' });
      await dialog.getByLabel('New status').selectOption('confirmed');
      await dialog.getByRole('button', { name: 'Change 200' }).click();
      await dialog
        .getByText('200 changed, 0 changed by others meanwhile, 0 failed, 0 left.')
        .waitFor();
      const confirmed = client.orders.list({ listingId, status: 'confirmed' });
      expect(await confirmed.toArray({ limit: 300 })).toHaveLength(200);
    });
  },
  ['--rate-limit', '100000'],
);
