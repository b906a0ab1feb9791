import { createServer } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tradepost } from '@tradepost/sdk';
import { generate } from 'selfsigned';
import { closeServer, listenOnLoopback } from '../../helpers/loopback';

/** How an endpoint responds to one delivery. */
interface Outcome {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** Milliseconds until it does. */
  after?: number;
}

/** An endpoint of the pictures: a subscription, and how its receiver fares. */
interface Endpoint {
  host: string;
  events: NonNullable<Parameters<Tradepost['webhooks']['create']>[0]['events']>;
  /** Chooses the response to a delivery, by its number from 1 and the hours that are left until now. */
  respond(number: number, hoursLeft: number): Outcome;
}

const endpoints: Endpoint[] = [
  {
    host: 'erp.highland-growers.example',
    events: ['order.created', 'order.status_changed'],
    respond: (number) =>
      number % 23 === 0
        ? { status: 503, body: 'upstream connect error', after: 4 }
        : { status: 204, after: 2 + (number % 7) * 3 },
  },
  {
    host: 'chat.highland-growers.example',
    events: ['order.created', 'order.status_changed', 'listing.availability_low'],
    respond: (number) => ({ status: 200, body: '{"ok":true}', after: 5 + (number % 5) * 6 }),
  },
  {
    // It fails since a release, two hours ago.
    host: 'warehouse.quayside.example',
    events: ['order.status_changed'],
    respond: (_number, hoursLeft) =>
      hoursLeft > 2
        ? { status: 204, after: 8 }
        : {
            status: 500,
            headers: { 'Content-Type': 'application/json' },
            body: '{"error":"column \\"shipped_at\\" does not exist"}',
            after: 12,
          },
  },
  {
    // It asks to wait.
    host: 'billing.harbour-ledger.example',
    events: ['order.status_changed'],
    respond: (number, hoursLeft) =>
      hoursLeft > 0.5 || number % 2 === 0
        ? { status: 200, after: 6 }
        : { status: 429, headers: { 'Retry-After': '240' }, body: 'Too many requests', after: 3 },
  },
  {
    host: 'old-crm.highland-growers.example',
    events: ['order.created'],
    respond: () => ({ status: 410, body: 'This endpoint has moved.' }),
  },
];

/** Starts the receivers, registers a webhook for each as the seller, and pauses the last one. */
export async function startEndpoints(client: Tradepost, hoursLeft: () => number) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  let underWay = 0;
  const servers = await Promise.all(
    endpoints.map(async ({ respond }) => {
      let number = 0;
      const server = createServer({ key, cert }, async (request, response) => {
        number += 1;
        underWay += 1;
        request.resume();
        const { status, body = '', headers = {}, after = 0 } = respond(number, hoursLeft());
        await pause(after);
        response.writeHead(status, headers).end(body);
        underWay -= 1;
      });
      return { server, port: await listenOnLoopback(server) };
    }),
  );
  const ids: string[] = [];
  for (const [index, { host, events }] of endpoints.entries()) {
    const url = `https://${host}:${servers[index]?.port}/tradepost`;
    ids.push((await client.webhooks.create({ url, events })).id ?? '');
  }
  return {
    /** The IDs of the webhooks, in the order of the endpoints. */
    ids,
    /** Whether no delivery is in progress. */
    isIdle: () => underWay === 0,
    async close() {
      await Promise.all(servers.map(({ server }) => closeServer(server)));
    },
  };
}
