import { EventEmitter, on, once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  verifyWebhookSync,
  type WebhookEvent,
  WebhookVerificationError,
} from '@tradepost/sdk/webhooks';
import { generate } from 'selfsigned';

/** A request that reached the receiver, and its response. */
export interface Delivery {
  /** When it arrived, in milliseconds since 1970. */
  at: number;
  headers: IncomingHttpHeaders;
  /** The raw body, byte for byte. */
  body: Buffer;
  /** The status of the response. */
  status: number;
  /** What the receiver did with it; also the body of an error response. */
  result: string;
}

/** An HTTPS endpoint such as a buyer's own software would have. */
export interface Receiver {
  url: string;
  /** The self-signed certificate in PEM, which a client has to trust. */
  certificate: string;
  /** Sets the secret with which deliveries are verified. */
  useSecret(secret: string): void;
  /** Responds to the next request with 500. */
  failOnce(): void;
  /** Waits for the next request, in the order of arrival. */
  nextDelivery(): Promise<Delivery>;
  close(): Promise<void>;
}

/** Handles a verified event, as the buyer's software would. */
function handleEvent(event: WebhookEvent): string {
  switch (event.event) {
    case 'order.status_changed': {
      const { orderId, previousStatus, status } = event.data;
      return `order ${orderId} went from ${previousStatus} to ${status}`;
    }
    default:
      return `nothing to do for ${event.event}`;
  }
}

/** Starts the receiver on a free port of this machine. */
export async function startReceiver(signal: AbortSignal): Promise<Receiver> {
  const pem = await generate([{ name: 'commonName', value: 'demo receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  let secret: string | undefined;
  let failing = false;

  function handle(headers: IncomingHttpHeaders, body: Buffer): { status: number; result: string } {
    if (failing) {
      failing = false;
      return { status: 500, result: 'the receiver fails on purpose' };
    }
    try {
      // As in production: the cause of a failed check is of no use to the sender.
      const diagnose = false;
      const event = verifyWebhookSync({
        payload: body,
        headers,
        secret,
        requireTimestamp: true,
        diagnose,
      });
      return { status: 204, result: handleEvent(event) };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return { status: 400, result: error.code };
    }
  }

  const arrivals = new EventEmitter();
  const deliveries = on(arrivals, 'delivery', { signal });
  const server = createServer({ key: pem.private, cert: pem.cert }, async (request, response) => {
    const at = Date.now();
    const body = await buffer(request).catch(() => null);
    // The sender closed the connection. It will retry.
    if (body === null) return;
    const { status, result } = handle(request.headers, body);
    response.writeHead(status).end(status === 204 ? undefined : result);
    arrivals.emit('delivery', { at, headers: request.headers, body, status, result });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `https://127.0.0.1:${port}/webhooks`,
    certificate: pem.cert,
    useSecret(value) {
      secret = value;
    },
    failOnce() {
      failing = true;
    },
    async nextDelivery() {
      const { value } = await deliveries.next();
      return (value as [Delivery])[0];
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
