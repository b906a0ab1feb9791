import { createAuditEntry } from '@tradepost/domain/audit/audit-log';
import {
  aContext,
  anAttempt,
  anIdempotencyKey,
  aWebhook,
  noon,
} from '@tradepost/domain/test/builders';
import type { Store } from '../../src/stores/store';
import { changeAccount } from '../stores/change-account';
import { aResult, failedResult, leaseDue } from './leasing';
import { addWebhook, Trade } from './trade';

/** Text that a database may change: a null character, accents, an emoji, a quotation mark and a backslash. */
export const difficultText = 'nul\0 é 漢字 🚢 "quoted" \\n';

/**
 * Fills a store with all kinds of data: orders in each status, deliveries that are delivered, due again, leased and due, a deleted
 * webhook, a staged secret, settings of an account, stored responses and text that a database may change.
 */
export async function fillStore(store: Store): Promise<Trade> {
  const trade = await Trade.open(store, { availableQuantity: 60, lowThreshold: 30 });
  await trade.subscribe(trade.buyer, ['order.created', 'order.status_changed']);
  await trade.subscribe(trade.seller, ['order.created'], { status: 'paused' });
  const { accountId } = trade.seller;
  await addWebhook(
    store,
    aWebhook({ accountId, stagedSecret: 'whsec_c3RhZ2Vk', stagedAt: noon }),
    anIdempotencyKey({ accountId, operation: 'createWebhook' }),
  );
  const removed = await trade.subscribe(trade.agent, ['order.created']);
  const orders = await Promise.all([0, 1, 2, 3].map(() => trade.place()));
  const idempotencyKey = anIdempotencyKey({ accountId: trade.buyer.accountId });
  await trade.place({ quantity: 1, idempotencyKey });
  const [first, second, third] = orders;
  if (!(first && second && third)) throw new Error('there are orders');
  await trade.move(first, 'confirmed');
  await trade.move(second, 'cancelled');
  await trade.move(third, 'fulfilling');
  await trade.move(third, 'completed');
  const [delivered, failed] = await leaseDue(store, noon, 6);
  if (!(delivered && failed)) throw new Error('there are deliveries');
  const attempt = anAttempt({ responseSnippet: difficultText });
  await store.deliveries.recordAttempts(
    [aResult(delivered, { attempt }), failedResult(failed, noon + 60_000)],
    noon,
  );
  const { accountId: buyerId } = trade.buyer;
  const settings = { maxWebhooks: 7, keepDeliveries: 8, keepNotifications: 9 };
  await changeAccount(store, buyerId, (found) => ({ ...found, ...settings }));
  const page = { after: null, limit: 1 };
  const [notification] = await store.notifications.listNotifications(buyerId, {}, page);
  await store.notifications.markRead(buyerId, notification?.id ?? '');
  await store.webhooks.deleteWebhook(trade.agent.accountId, removed.id, noon);
  await store.audit.addEntry(
    createAuditEntry(
      { type: 'operator', id: 'ops@host-1' },
      'account.suspended',
      { id: buyerId, accountId: buyerId },
      { reason: difficultText },
      aContext(),
    ),
  );
  return trade;
}
