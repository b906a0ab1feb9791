import type { Order, OrderStatus } from '@tradepost/sdk';
import type { Stage } from '../stage';
import type { Shop } from './open-shop';
import { runTradepost } from './run-tradepost';

/** Moves an order on with the CLI, as the seller, and shows where it stands then. */
export async function moveOrder(
  stage: Stage,
  shop: Shop,
  { id }: Order,
  status: OrderStatus,
): Promise<void> {
  const table = await runTradepost(stage, shop, shop.seller, ['orders', 'set-status', id, status]);
  stage.narrator.result(
    ...table.split('\n').filter((line) => /^(id|status|updatedAt) /.test(line)),
  );
}
