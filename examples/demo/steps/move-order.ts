import type { Order, OrderStatus } from '@tradepost/sdk';
import type { DemoContext } from '../context';
import { runTradepost } from './run-tradepost';
import type { DemoService } from './start-service';

/** Changes the status of an order with the CLI, as the seller, and shows the result. */
export async function moveOrder(
  context: DemoContext,
  service: DemoService,
  { id }: Order,
  status: OrderStatus,
): Promise<void> {
  const report = await runTradepost(context, service, service.seller, [
    'orders',
    'set-status',
    id,
    status,
  ]);
  context.narrator.result(report.trimEnd());
}
