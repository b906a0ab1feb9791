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

/** A request that reached the receiver, and what it was answered. */
export interface Delivery {
  /** When it arrived, in milliseconds since 1970. */
  at: number;
  headers: IncomingHttpHeaders;
  /** The raw body, byte for byte. */
  body: Buffer;
  /** The status of the answer. */
  status: number;
  /** What the receiver made of it; this is the answer's body too. */
  verdict: string;
}

/** An HTTPS endpoint as a buyer's own software would have one. */
export interface Receiver {
  url: string;
  /** The certificate in PEM, made for this run: who trusts it can connect. */
  certificate: string;
  /** Sets the secret that deliveries are verified with. */
  useSecret(secret: string): void;
  /** Answers the next request with 500, whatever it is. */
  failOnce(): void;
  /** The next request in the order of arrival; waits for it. */
  nextDelivery(): Promise<Delivery>;
  close(): Promise<void>;
}

/** What the buyer's software does with an event that is verified. */
function actOn(event: WebhookEvent): string {
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

  function answer(headers: IncomingHttpHeaders, body: Buffer): { status: number; verdict: string } {
    if (failing) {
      failing = false;
      return { status: 500, verdict: 'the receiver is out of order' };
    }
    try {
      // As in production: a forgery is not worth looking for what is wrong with it.
      const diagnose = false;
      const event = verifyWebhookSync({
        payload: body,
        headers,
        secret,
        requireTimestamp: true,
        diagnose,
      });
      return { status: 204, verdict: actOn(event) };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return { status: 400, verdict: error.code };
    }
  }

  const arrivals = new EventEmitter();
  const deliveries = on(arrivals, 'delivery', { signal });
  const server = createServer({ key: pem.private, cert: pem.cert }, async (request, response) => {
    const at = Date.now();
    const body = await buffer(request).catch(() => null);
    // The sender hung up. It will send again.
    if (body === null) return;
    const { status, verdict } = answer(request.headers, body);
    response.writeHead(status).end(status === 204 ? undefined : verdict);
    arrivals.emit('delivery', { at, headers: request.headers, body, status, verdict });
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
