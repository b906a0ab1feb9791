import type { Notification, Order } from '@tradepost/sdk';
import type { DemoContext } from '../context';
import { runTradepost } from './run-tradepost';
import type { DemoService } from './start-service';

/** Lists the buyer's notifications with the CLI and marks the one about the first change read. */
export async function readNotification(
  context: DemoContext,
  service: DemoService,
  order: Order,
): Promise<void> {
  const { narrator } = context;
  const asBuyer = async (...args: string[]) =>
    JSON.parse(await runTradepost(context, service, service.buyer, args)) as Notification[];

  narrator.step(
    'Get the same information by polling: list notifications and mark one read, as the buyer',
  );
  const listUnread = ['notifications', 'list', '--unread', '--limit', '3', '--output', 'json'];
  const notifications = await asBuyer(...listUnread);
  narrator.result(...notifications.map(({ id, message }) => `${id}  ${message}`));
  const notification = notifications.find(
    ({ orderId, type, message }) =>
      orderId === order.id && type === 'order_status_changed' && message.includes('now fulfilling'),
  );
  if (notification === undefined)
    throw new Error(`There is no notification that ${order.id} is fulfilling.`);

  const [marked] = await asBuyer('notifications', 'read', notification.id, '--output', 'json');
  narrator.confirm(marked?.read === true, `${notification.id} is read.`);
}
