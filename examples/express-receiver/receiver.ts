/**
 * A webhook receiver with Express 5: copy it and put your own code into the handlers.
 *
 * TRADEPOST_WEBHOOK_SECRET is the secret that registering the webhook returned. PORT is the port to
 * listen on, 8080 by default. The receiver uses plain HTTP: run it behind the proxy that terminates TLS.
 */
import { createMemoryDedupeStore, webhookReceiver } from '@tradepost/sdk/webhooks';
import express from 'express';

const secret = process.env.TRADEPOST_WEBHOOK_SECRET;
if (!secret) {
  console.error('Set TRADEPOST_WEBHOOK_SECRET to the secret that `webhooks register` showed.');
  process.exit(2);
}

const receiver = webhookReceiver({
  secret,
  requireTimestamp: true,
  // A delivery may arrive more than once. This store is in memory. If an event must never be handled
  // twice, store the keys in your database (see RECEIVING.md of the SDK).
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
      console.log(`the approval task of order ${data.orderId} is completed`);
    },
    'listing.availability_low': ({ data }) => {
      console.log(`listing ${data.listingId} has ${data.availableQuantity} left`);
    },
  },
  // Event types that are newer than this program: acknowledge them, so that they are not retried.
  onUnhandled: 'ignore',
  onVerificationError: ({ message }) => console.error(`rejected: ${message}`),
  // Called with what a handler throws. The service retries the delivery.
  onError: (error, { event }) => console.error(`${event} was not handled:`, error),
});

const app = express();

// No body parser such as express.json() before it: the signature is over the raw body.
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
