/**
 * A receiver of webhooks with Express 5: copy it and put your own work into the handlers.
 *
 * TRADEPOST_WEBHOOK_SECRET is the secret that the registration showed once, PORT the port to listen
 * on, 8080 unless told. It speaks plain HTTP: put what ends TLS for your other services before it.
 */
import { createMemoryDedupeStore, webhookReceiver } from '@tradepost/sdk/webhooks';
import express from 'express';

const secret = process.env.TRADEPOST_WEBHOOK_SECRET;
if (!secret) {
  console.error('Set TRADEPOST_WEBHOOK_SECRET to the secret that the registration showed.');
  process.exit(2);
}

const receiver = webhookReceiver({
  secret,
  requireTimestamp: true,
  // Deliveries come at least once. This forgets them when the process ends: where work must never be
  // done twice, keep their keys in your database (see RECEIVING.md of the SDK).
  dedupe: createMemoryDedupeStore(),
  on: {
    'order.created': ({ data }) => {
      console.log(`order ${data.orderId} was placed for ${data.quantity}`);
    },
    'order.status_changed': ({ data }) => {
      console.log(`order ${data.orderId} went from ${data.previousStatus} to ${data.status}`);
    },
    'task.approval_requested': ({ data }) => {
      console.log(`order ${data.orderId} waits for approval`);
    },
    'task.completed': ({ data }) => {
      console.log(`order ${data.orderId} has been dealt with`);
    },
    'listing.availability_low': ({ data }) => {
      console.log(`listing ${data.listingId} has ${data.availableQuantity} left`);
    },
  },
  // Kinds that are newer than this program: nothing to do, and no reason to have them sent again.
  onUnhandled: 'ignore',
  onVerificationError: ({ message }) => console.error(`refused: ${message}`),
  // What a handler throws comes here, and the delivery comes again.
  onError: (error, { event }) => console.error(`${event} was not handled:`, error),
});

const app = express();

// Without a parser before it, such as express.json(): the signature is over the bytes as they came.
app.post('/webhooks', receiver.node);

const server = app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', (error) => {
  if (error) throw error;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  console.log(`listening on http://127.0.0.1:${port}/webhooks`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => server.close());
}
