import type { Notification, Order } from '@tradepost/sdk';
import type { Stage } from '../stage';
import type { Shop } from './open-shop';
import { runTradepost } from './run-tradepost';

/** Lists the buyer's notifications with the CLI and marks the one about the first move read. */
export async function readNotification(stage: Stage, shop: Shop, order: Order): Promise<void> {
  const { narrator } = stage;
  const asBuyer = async (...args: string[]) =>
    JSON.parse(await runTradepost(stage, shop, shop.buyer, args)) as Notification[];

  narrator.step('The same news by polling: list notifications and mark one read, as the buyer');
  const unread = ['notifications', 'list', '--unread', '--limit', '3', '--output', 'json'];
  const news = await asBuyer(...unread);
  narrator.result(...news.map(({ id, message }) => `${id}  ${message}`));
  const moved = news.find(
    ({ orderId, type, message }) =>
      orderId === order.id && type === 'order_status_changed' && message.includes('now fulfilling'),
  );
  if (moved === undefined) throw new Error(`No notification says that ${order.id} is fulfilling.`);

  const [marked] = await asBuyer('notifications', 'read', moved.id, '--output', 'json');
  narrator.confirm(marked?.read === true, `${moved.id} is read.`);
}
