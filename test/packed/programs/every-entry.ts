/**
 * Uses every entry of the SDK in one program, which is compiled and run as an ES module and as CommonJS in a
 * project with only the published package. It prints the results.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isTradepostError, NotFoundError, Tradepost } from '@tradepost/sdk';
import { explainFailure } from '@tradepost/sdk/explain';
import { exampleSecret, invalidDelivery, sampleEvent, signDelivery } from '@tradepost/sdk/testing';
import { validateResponses } from '@tradepost/sdk/validate';
import {
  verifyWebhook,
  verifyWebhookSync,
  WebhookVerificationError,
  webhookReceiver,
} from '@tradepost/sdk/webhooks';

const secret = exampleSecret;

async function callTheService() {
  const tradepost = new Tradepost({
    baseUrl: process.env.TRADEPOST_BASE_URL ?? '',
    apiKey: process.env.TRADEPOST_API_KEY ?? '',
    validate: validateResponses,
  });
  const listingId = process.env.LISTING_ID ?? '';
  const created = await tradepost.orders.create({ listingId, quantity: 1 }).withResponse();
  const listed: string[] = [];
  for await (const order of tradepost.orders.list({ status: 'pending', limit: 1 })) {
    listed.push(order.id);
  }
  const missing = await tradepost.orders.get('ord_00000000000000000000000000').safe();
  const error = missing.ok ? null : missing.error;
  return {
    createdWith: created.status,
    lists: listed.includes(created.data.id),
    error: isTradepostError(error) && error instanceof NotFoundError ? error.code : null,
  };
}

async function verify() {
  const { body, headers } = await signDelivery({ event: sampleEvent('order.created'), secret });
  const options = { payload: body, headers, secret, requireTimestamp: true };
  const [event, sync] = [await verifyWebhook(options), verifyWebhookSync(options)];
  const tampered = await invalidDelivery('tampered', { secret });
  const rejection = await verifyWebhook({ ...options, payload: tampered.body }).catch(
    (error: unknown) => (error instanceof WebhookVerificationError ? error.code : error),
  );
  return { event: event.event, sync: sync.event, rejection };
}

async function receive() {
  const handled: string[] = [];
  const receiver = webhookReceiver({
    secret,
    requireTimestamp: true,
    onVerificationError: () => {},
    on: { 'order.created': ({ data }) => handled.push(data.status) },
  });
  const server = createServer(receiver.node).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const deliveries = [
    await signDelivery({ event: sampleEvent('order.created'), secret }),
    await invalidDelivery('stale', { secret }),
  ];
  const statuses: number[] = [];
  for (const { init } of deliveries) statuses.push((await fetch(url, init)).status);
  server.closeAllConnections();
  server.close();
  return { statuses, handled };
}

async function main() {
  const outcome = {
    client: await callTheService(),
    verifier: await verify(),
    receiver: await receive(),
    failure: explainFailure({ webhookId: 'whk_1', lastStatus: 308, lastError: null })?.cause,
  };
  console.log(JSON.stringify(outcome));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
