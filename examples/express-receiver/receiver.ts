/**
 * A receiver of webhooks with Express 5: copy it and put your own work into `actOn`.
 *
 * TRADEPOST_WEBHOOK_SECRET is the secret that the registration showed once, PORT the port to listen
 * on, 8080 unless told. It speaks plain HTTP: put what ends TLS for your other services before it.
 */
import {
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '@tradepost/sdk/webhooks';
import express from 'express';

const secret = process.env.TRADEPOST_WEBHOOK_SECRET;
if (!secret) {
  console.error('Set TRADEPOST_WEBHOOK_SECRET to the secret that the registration showed.');
  process.exit(2);
}

// Deliveries come at least once. Where work must never be done twice, keep these ids in your
// database, in the transaction that does the work; this set forgets them when the process ends.
const seen = new Set<string>();
const rememberAtMost = 10_000;

function isRepetition(deliveryId: string): boolean {
  if (seen.has(deliveryId)) return true;
  seen.add(deliveryId);
  const [oldest] = seen;
  if (seen.size > rememberAtMost && oldest !== undefined) seen.delete(oldest);
  return false;
}

function actOn(event: WebhookEvent): void {
  switch (event.event) {
    case 'order.created':
      console.log(`order ${event.data.orderId} was placed for ${event.data.quantity}`);
      break;
    case 'order.status_changed':
      console.log(
        `order ${event.data.orderId} went from ${event.data.previousStatus} to ${event.data.status}`,
      );
      break;
    case 'task.approval_requested':
      console.log(`order ${event.data.orderId} waits for approval`);
      break;
    case 'task.completed':
      console.log(`order ${event.data.orderId} has been dealt with`);
      break;
    case 'listing.availability_low':
      console.log(`listing ${event.data.listingId} has ${event.data.availableQuantity} left`);
      break;
    // A kind that is newer than this program: nothing to do, and no reason to have it sent again.
    default:
      console.log('an event of an unknown kind');
  }
}

const app = express();

// raw(), not json(): the signature is over the bytes as they came.
app.post('/webhooks', express.raw({ type: 'application/json' }), async (request, response) => {
  let event: WebhookEvent;
  try {
    event = await verifyWebhook({
      payload: request.body,
      headers: request.headers,
      secret,
      requireTimestamp: true,
    });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(`refused: ${error.message}`);
    response.status(400).type('text').send(error.code);
    return;
  }

  // The server waits 15 seconds at most: answer first, work afterwards.
  response.status(204).end();

  // All attempts at one event have one id. It is signed, or requireTimestamp had refused it.
  const deliveryId = request.get('webhook-id') ?? '';
  if (isRepetition(deliveryId)) console.log(`${deliveryId} came again: nothing to do`);
  else actOn(event);
});

const server = app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', (error) => {
  if (error) throw error;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  console.log(`listening on http://127.0.0.1:${port}/webhooks`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => server.close());
}
