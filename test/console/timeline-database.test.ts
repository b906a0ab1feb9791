import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { forTest } from '../helpers/for-test';
import { registerWebhook } from '../helpers/register-webhook';
import { findOrderId } from '../helpers/seed';
import { startHttpReceiver } from '../helpers/start-receiver';
import { patienceMs, useConsole } from './open-console';
import { readColumn, readPast } from './recorded-past';

const site = useConsole();
const parties = ['buyer', 'seller', 'agent'] as const;

type Shown = { title: string; reason: string | null; effects: string[] };

/** Reads what a timeline shows, with exact times instead of how long ago they were. */
const readTimeline = (page: Page) =>
  page.evaluate<Shown[]>(`(() => {
    const read = (element) => {
      const copy = element.cloneNode(true);
      for (const time of copy.querySelectorAll('time')) time.replaceWith(time.dateTime);
      return copy.textContent.replace(/\\s+/g, ' ').trim();
    };
    return [...document.querySelectorAll('main li:has(h3)')].map((entry) => ({
      title: read(entry.querySelector('h3').parentElement),
      reason: entry.querySelector('blockquote')?.textContent ?? null,
      effects: [...entry.querySelectorAll(':scope > ul > li')].map(read),
    }));
  })()`);

const nameOf = (accountId: string | null) =>
  site.seeded.seed.accounts.find(({ id }) => id === accountId)?.name;

/** What the timeline of a party has to show by what the database has. */
function expectTimeline(accountId: string, orderId: string): Shown[] {
  return readPast(site.server.database, accountId, orderId).map((event) => {
    const { previousStatus, status, reason } = event.body.data;
    const by =
      event.actorId === accountId ? 'by you' : `by the ${event.actorKind} ${nameOf(event.actorId)}`;
    const titles: Record<string, string> = {
      'order.created': `Created ${by}`,
      'order.status_changed': `${previousStatus}→${status} ${by}`,
      'task.approval_requested': 'Approval by the agent requested',
      'task.completed': 'Approval completed',
      'listing.availability_low': 'Few units of the listing left',
    };
    const deliveries = event.deliveries.map(({ id, webhookId, state, attempts }) => {
      const outcomes = attempts.map(
        ({ status: responded, error, startedAt, durationMs }, index) => {
          const duration =
            durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
          return `Attempt ${index + 1}: ${responded ?? error?.replaceAll('_', ' ')} after ${duration}, ${startedAt}`;
        },
      );
      return `Delivery${state} ${id} to ${webhookId}${outcomes.join('')}`;
    });
    const read = {
      true: 'you have read it',
      false: 'you have not read it yet',
      null: 'none is stored for you',
    };
    return {
      title: `${titles[event.type] ?? event.type}${event.createdAt}`,
      reason: reason ?? null,
      effects: [
        `Event${event.type} ${event.id}`,
        `Notification${read[`${event.read ?? 'null'}`]}`,
        ...(deliveries.length > 0
          ? deliveries
          : ['Deliveries'.concat('none: no webhook of yours subscribed')]),
      ],
    };
  });
}

test('each party sees what the database has of its own, a replay included, and nothing of others', async () => {
  const { database } = site.server;
  // Its listing has an agent; buyer and seller traded before anyone had a webhook.
  const orderId = findOrderId(site.seeded.seed, 'confirmed');
  let isBroken = true;
  const webhookIds: Record<string, string> = {};
  for (const who of parties) {
    const receiver = await forTest(
      startHttpReceiver((response) =>
        response.writeHead(isBroken && who === 'seller' ? 500 : 204).end(),
      ),
    );
    const { id } = await registerWebhook(site.client(who), {
      url: receiver.url,
      events: ['order.created', 'order.status_changed'],
    });
    webhookIds[who] = id;
  }
  const seller = site.client('seller');
  await seller.orders.update(orderId, { status: 'fulfilling', reason: 'Bags are loaded.' });
  const find = async () =>
    (await seller.deliveries.list({ webhookId: webhookIds.seller ?? '' })).data;
  await vi.waitFor(async () => expect((await find())[0]?.lastStatus).toBe(500), {
    timeout: patienceMs,
  });
  isBroken = false;
  await seller.deliveries.replay((await find())[0]?.id ?? '');
  await site.client('agent').orders.update(orderId, { status: 'completed' });
  const [unread] = (await site.client('buyer').notifications.list({ limit: 1 })).data;
  await site.client('buyer').notifications.markRead(unread?.id ?? '');
  const pendingSql = `SELECT id FROM deliveries WHERE state = 'pending' AND ? <> ''`;
  await vi.waitFor(() => expect(readColumn(database, pendingSql, 'any')).toEqual([]), {
    timeout: patienceMs,
  });

  for (const who of parties) {
    const { id } = site.seeded[who];
    const expected = expectTimeline(id, orderId);
    expect(expected.map(({ effects }) => effects.length)).toEqual(
      Array.from({ length: 6 }, () => 3),
    );
    const page = await site.signIn(who, `orders/${orderId}`);
    await page
      .getByRole('heading', { level: 3 })
      .nth(expected.length - 1)
      .waitFor();
    expect(await readTimeline(page)).toEqual(expected);

    await page.goto(`${site.server.url}/console/deliveries`);
    await page.getByRole('link', { name: /^dlv_/ }).first().waitFor();
    const deliveries = await page.getByRole('link', { name: /^dlv_/ }).allTextContents();
    const deliveriesSql =
      'SELECT id FROM deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE account_id = ?)';
    expect(deliveries.sort()).toEqual(readColumn(database, deliveriesSql, id));
    await page.goto(`${site.server.url}/console/notifications`);
    const rows = page.getByRole('row').getByRole('link');
    await rows.first().waitFor();
    const messagesSql = 'SELECT message FROM notifications WHERE account_id = ?';
    expect((await rows.allTextContents()).sort()).toEqual(readColumn(database, messagesSql, id));
    await page.context().close();
  }
});
