// The program of an integrator, for runtimes with a server of their own. It prints its results.
import { isTradepostError, Tradepost } from '@tradepost/sdk';
import {
  deliveryFaults,
  exampleSecret,
  invalidDelivery,
  sampleEvent,
  signDelivery,
} from '@tradepost/sdk/testing';
import { validateEvent, validateResponses } from '@tradepost/sdk/validate';
import { verifyWebhook, webhookReceiver } from '@tradepost/sdk/webhooks';

const { env } = globalThis.process;

async function callTheService() {
  const tradepost = new Tradepost({
    baseUrl: env.TRADEPOST_BASE_URL,
    apiKey: env.TRADEPOST_API_KEY,
    validate: validateResponses,
  });
  const [first] = await tradepost.orders.list().toArray({ limit: 1 });
  const created = await tradepost.orders.create({ listingId: first.listingId, quantity: 1 });
  const missing = await tradepost.orders.get('ord_00000000000000000000000000').safe();
  const unreachable = await tradepost
    .withOptions({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
    .orders.list()
    .catch((error) => (isTradepostError(error) ? error.code : String(error)));
  return { status: created.status, missing: missing.error?.code, unreachable };
}

/** Returns the faults that are not rejected with their code. */
async function verifyDeliveries() {
  const wrong = [];
  for (const fault of deliveryFaults) {
    const { body, headers, expectedCode } = await invalidDelivery(fault, { secret: exampleSecret });
    const code = await verifyWebhook({ payload: body, headers, secret: exampleSecret }).then(
      () => 'accepted',
      (error) => error.code ?? String(error),
    );
    if (code !== expectedCode) wrong.push([fault, expectedCode, code]);
  }
  return wrong;
}

/** Starts a server of the runtime. Returns its port, and how to stop it. */
function serve(handler) {
  if (globalThis.Bun) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler });
    return { port: server.port, stop: () => server.stop(true) };
  }
  const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, handler);
  return { port: server.addr.port, stop: () => server.shutdown() };
}

async function receiveDeliveries() {
  const handled = [];
  const receiver = webhookReceiver({
    secret: exampleSecret,
    requireTimestamp: true,
    maxBytes: 100_000,
    validate: validateEvent,
    onVerificationError: () => undefined,
    on: { 'order.created': ({ data }) => handled.push(data.quantity) },
    onUnhandled: 'ignore',
  });
  const { port, stop } = serve((request) => receiver.fetch(request));
  const url = `http://127.0.0.1:${port}/webhooks`;
  const event = sampleEvent('order.created', { data: { quantity: 3 } });
  const valid = await signDelivery({ event, secret: exampleSecret });
  const forged = await signDelivery({ event, secret: 'whsec_b3RoZXI=' });
  const large = await signDelivery({ body: 'x'.repeat(5_000_000), secret: exampleSecret });
  const statuses = [];
  for (const { init } of [valid, forged, large, valid]) {
    const response = await fetch(url, init);
    await response.text();
    statuses.push(response.status);
  }
  await stop();
  return { handled, statuses };
}

console.log(
  JSON.stringify({
    service: await callTheService(),
    wrongVerdicts: await verifyDeliveries(),
    receiver: await receiveDeliveries(),
  }),
);
