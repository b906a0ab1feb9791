// Runs the Worker of the recipe in miniflare, with the settings of its wrangler.jsonc, and prints what it saw.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { exampleSecret, sampleEvent, signDelivery } from '@tradepost/sdk/testing';
import { Miniflare } from 'miniflare';
import { schema } from './dist/schema.js';

const settings = JSON.parse(readFileSync('wrangler.jsonc', 'utf8').replace(/^\/\/.*$/gm, ''));
const [producer] = settings.queues.producers;
const [consumer] = settings.queues.consumers;

// Ends this process, and the Worker with it, if the consumer hangs. Otherwise it would outlive the test.
setTimeout(() => {
  console.error('The consumer has not handled a delivery within two minutes.');
  process.exit(1);
}, 120_000).unref();

let errors;
const miniflare = new Miniflare({
  modules: true,
  script: readFileSync('worker.js', 'utf8'),
  compatibilityDate: settings.compatibility_date,
  bindings: { TRADEPOST_WEBHOOK_SECRET: exampleSecret },
  d1Databases: [settings.d1_databases[0].binding],
  queueProducers: { [producer.binding]: producer.queue },
  queueConsumers: {
    [consumer.queue]: {
      maxBatchSize: consumer.max_batch_size,
      maxBatchTimeout: consumer.max_batch_timeout,
      maxRetries: consumer.max_retries,
      deadLetterQueue: consumer.dead_letter_queue,
    },
  },
  handleRuntimeStdio(stdout, stderr) {
    stdout.resume();
    errors = stderr.setEncoding('utf8');
  },
});
const url = await miniflare.ready;
const database = await miniflare.getD1Database('DATABASE');
for (const statement of schema) await database.prepare(statement).run();

const aDelivery = async (listingId, { secret = exampleSecret, ...data } = {}) =>
  signDelivery({
    event: sampleEvent('order.created', { data: { listingId, quantity: 3, ...data } }),
    secret,
  });
const send = async ({ init }) => {
  const response = await fetch(url, init);
  return [response.status, await response.text()];
};
const idOf = ({ headers }) => headers['webhook-id'];
const isHandled = async (id) =>
  (await database.prepare('SELECT id FROM handled_events WHERE id = ?').bind(id).first()) !== null;
/** Waits until the consumer has handled an event. */
async function handled(delivery) {
  while (!(await isHandled(idOf(delivery))));
}
const readUnits = async () => {
  const { results } = await database.prepare('SELECT * FROM ordered_units ORDER BY 1').all();
  return Object.fromEntries(results.map(({ listing_id, units }) => [listing_id, units]));
};

const statuses = {};

// The same delivery several times: at once, and after it was handled. A later one is handled after them.
const repeated = await aDelivery('lst_repeated');
const atOnce = await Promise.all([send(repeated), send(repeated)]);
await handled(repeated);
statuses.repeated = [...atOnce, await send(repeated)];

// Forged, and larger than a message may be, so that the queue rejects it.
const forged = await aDelivery('lst_forged', { secret: 'whsec_b3RoZXI=' });
statuses.forged = await send(forged);
const tooLarge = await aDelivery('lst_large', { note: 'x'.repeat(140_000) });
statuses.tooLarge = await send(tooLarge);

const later = await aDelivery('lst_later');
statuses.later = await send(later);
await handled(later);
const wereHandled = [await isHandled(idOf(forged)), await isHandled(idOf(tooLarge))];

// The effect fails, so its ID is not stored either. Once it can succeed, it does.
await database.prepare('ALTER TABLE ordered_units RENAME TO hidden').run();
const retried = await aDelivery('lst_retried');
let written = '';
errors.on('data', (text) => {
  written += text;
});
statuses.retried = await send(retried);
while (!written.includes(idOf(retried))) await once(errors, 'data');
const wasHandledWithoutEffect = await isHandled(idOf(retried));
await database.prepare('ALTER TABLE hidden RENAME TO ordered_units').run();
await handled(retried);

// An ID that is four days old is forgotten, and no other.
const old = Date.now() - 4 * 24 * 3_600_000;
await database.prepare('INSERT INTO handled_events VALUES (?, ?)').bind('evt_old', old).run();
const worker = await miniflare.getWorker();
await worker.scheduled({ cron: settings.triggers.crons[0] });
const remembered = [await isHandled('evt_old'), await isHandled(idOf(repeated))];

const units = await readUnits();
await miniflare.dispose();
console.log(JSON.stringify({ statuses, wereHandled, wasHandledWithoutEffect, remembered, units }));
