import { createMemoryDedupeStore, webhookReceiver } from '@tradepost/sdk/webhooks';
import { recordStatus } from './orders';

/** Verifies each delivery, calls the handler of its event, and responds. */
export const receiver = webhookReceiver({
  // A function: the build needs no secret, and a new one is used with the next delivery.
  secret: () => process.env.TRADEPOST_WEBHOOK_SECRET,
  requireTimestamp: true,
  // For one process. For several: https://github.com/tradepost/tradepost/blob/main/packages/sdk/RECIPES.md
  dedupe: createMemoryDedupeStore(),
  on: {
    'order.created': async ({ createdAt, data }) => {
      await recordStatus(data.orderId, { status: data.status, at: createdAt });
    },
    'order.status_changed': async ({ createdAt, data }) => {
      await recordStatus(data.orderId, { status: data.status, at: createdAt });
      console.log(`${data.orderId}: ${data.previousStatus} -> ${data.status}`);
    },
  },
  // All other events get a 204, so that they are not sent again.
  onUnhandled: 'ignore',
});
