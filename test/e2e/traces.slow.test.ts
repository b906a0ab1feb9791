import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { findUnusedPort } from '../helpers/loopback';
import { checkout, tradepostServerBin } from '../helpers/programs';
import { registerWebhook } from '../helpers/register-webhook';
import { type Collector, type ExportedSpan, startCollector } from '../helpers/start-collector';
import { runProcess, startProcess } from '../helpers/start-process';
import { startHttpReceiver } from '../helpers/start-receiver';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpanId = 'b7ad6b7169203331';

async function openCollector(responds = true): Promise<Collector> {
  return await forTest(startCollector(responds));
}

/** The environment that exports to a collector, in small batches so that tests need not wait. */
function exportTo(url: string, env: Record<string, string> = {}): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...env,
  };
}

async function startServer(env: Record<string, string>, ...args: string[]): Promise<SeededServer> {
  return await forTest(startSeededServer(args, { env }));
}

async function openReceiver(status = 204) {
  return await forTest(startHttpReceiver((response) => response.writeHead(status).end()));
}

/** Registers a webhook of the buyer, and confirms an order as its seller. Returns what must not be in a span. */
async function confirmOrder(seeded: SeededServer, url: string, headers?: Record<string, string>) {
  const baseUrl = seeded.server.url;
  const buyer = new Tradepost({ baseUrl, apiKey: seeded.buyer.apiKey });
  const { secret } = await registerWebhook(buyer, { url, events: ['order.status_changed'] });
  const order = seeded.seed.orders.find(({ status }) => status === 'pending');
  const response = await fetch(`${baseUrl}/v1/orders/${order?.id}`, {
    method: 'PATCH',
    headers: {
      Authorization: `Bearer ${seeded.seller.apiKey}`,
      'Content-Type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ status: 'confirmed' }),
  });
  expect(response.status).toBe(200);
  return { secret, order };
}

const isPatch = ({ name }: ExportedSpan) => name === 'PATCH /v1/orders/:id';
const isAttempt = ({ kind }: ExportedSpan) => kind === 3;
const hasBoth = (spans: ExportedSpan[]) => spans.some(isPatch) && spans.some(isAttempt);

function findTrace(spans: ExportedSpan[]) {
  const patch = spans.find(isPatch);
  const inTrace = spans.filter((span) => span.traceId === patch?.traceId);
  const find = (name: string) => inTrace.find((span) => span.name === name);
  return { patch, change: find('change'), transaction: find('transaction'), attempt: find('POST') };
}

it('a PATCH, its transaction and the attempt in the thread of the engine are one trace', async () => {
  const collector = await openCollector();
  const seeded = await startServer(exportTo(collector.url, { OTEL_SERVICE_NAME: 'trade' }));
  const receiver = await openReceiver();
  const { secret, order } = await confirmOrder(seeded, `${receiver.url}/hidden-path?hidden=query`);
  const [arrival] = await receiver.until(({ length }) => length > 0);
  const spans = await collector.until(hasBoth);
  const { patch, change, transaction, attempt } = findTrace(spans);

  expect(patch).toMatchObject({
    kind: 2,
    parentSpanId: '',
    status: 0,
    attributes: {
      'http.request.method': 'PATCH',
      'http.route': '/v1/orders/:id',
      'http.response.status_code': 200,
      'url.path': `/v1/orders/${order?.id}`,
      'url.scheme': 'http',
      'tradepost.account.id': seeded.seller.id,
    },
    resource: { 'service.name': 'trade' },
  });
  expect(change).toMatchObject({ kind: 1, parentSpanId: patch?.spanId });
  expect(transaction).toMatchObject({
    kind: 1,
    parentSpanId: change?.spanId,
    attributes: { 'db.system.name': 'sqlite' },
  });
  expect(attempt).toMatchObject({
    parentSpanId: change?.spanId,
    status: 0,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 204,
      'server.address': '127.0.0.1',
      'tradepost.event.id': arrival?.headers['webhook-id'],
    },
    resource: { 'service.name': 'trade' },
  });
  expect(arrival?.headers.traceparent).toBe(`00-${patch?.traceId}-${attempt?.spanId}-01`);
  expect(arrival?.headers).not.toHaveProperty('tracestate');

  const [, requestLine = ''] = await seeded.server.writes(/^(.*"method":"PATCH".*)$/m, 'stderr');
  expect(JSON.parse(requestLine)).toMatchObject({ traceId: patch?.traceId });
  const exported = collector.bodies.join();
  const hidden = [secret, seeded.seller.apiKey, seeded.buyer.apiKey, 'hidden', 'confirmed'];
  for (const text of hidden) expect(exported).not.toContain(text);
});

it('a trace of the client is continued by processes for the API and for deliveries', async () => {
  const collector = await openCollector();
  const env = exportTo(collector.url);
  const seeded = await startServer(env, '--role', 'api');
  const { database } = seeded.server;
  const args = ['start', '--role', 'worker', '--database', database, '--allow-insecure-webhooks'];
  const worker = forTest(startProcess(process.execPath, [tradepostServerBin, ...args], { env }));
  const receiver = await openReceiver(500);
  await confirmOrder(seeded, receiver.url, {
    traceparent: `00-${traceId}-${clientSpanId}-01`,
    tracestate: 'vendor=value,other=1',
  });
  const [arrival] = await receiver.until(({ length }) => length > 0);
  const { patch, change, attempt } = findTrace(await collector.until(hasBoth));
  expect(patch).toMatchObject({ traceId, parentSpanId: clientSpanId });
  expect(attempt).toMatchObject({
    traceId,
    parentSpanId: change?.spanId,
    traceState: 'vendor=value,other=1',
    status: 2,
    attributes: { 'http.response.status_code': 500, 'error.type': '500' },
  });
  expect(arrival?.headers.traceparent).toBe(`00-${traceId}-${attempt?.spanId}-01`);
  const [, line = ''] = await worker.writes(/^(.*"msg":"attempt".*)$/m, 'stderr');
  expect(JSON.parse(line)).toMatchObject({ traceId });
});

it('a client that does not sample its trace, and a sampler that is off, export no span', async () => {
  const collector = await openCollector();
  const seeded = await startServer(
    exportTo(collector.url, { OTEL_TRACES_SAMPLER: 'parentbased_always_off' }),
  );
  const receiver = await openReceiver();
  await confirmOrder(seeded, receiver.url, { traceparent: `00-${traceId}-${clientSpanId}-00` });
  const [arrival] = await receiver.until(({ length }) => length > 0);
  expect(arrival?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  // A stop exports what there is.
  expect(await seeded.server.stop()).toMatchObject({ code: 0 });
  expect(collector.bodies).toEqual([]);
});

it('a stopping server exports the spans that have ended, by default as protobuf', async () => {
  const collector = await openCollector();
  const { url } = collector;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '600000' };
  const seeded = await startServer(env);
  const receiver = await openReceiver();
  await confirmOrder(seeded, receiver.url);
  await receiver.until(({ length }) => length > 0);
  expect(await seeded.server.stop()).toMatchObject({ code: 0 });
  // The thread of the engine has one, and the main thread the other.
  expect(collector.contentTypes).toEqual(['application/x-protobuf', 'application/x-protobuf']);
  expect(collector.bodies.join()).toContain('PATCH /v1/orders/:id');
});

it('a collector that hangs delays neither requests nor deliveries, and the server stops', async () => {
  const collector = await openCollector(false);
  const seeded = await startServer(exportTo(collector.url));
  const receiver = await openReceiver();
  await confirmOrder(seeded, receiver.url);
  await receiver.until(({ length }) => length > 0);
  await collector.requested;
  const exit = await seeded.server.stop();
  expect(exit).toMatchObject({ code: 0, signal: null });
  expect(exit.stderr).toContain('"msg":"the server stopped"');
});

it('a collector that rejects connections is logged once by each thread at most', async () => {
  const port = await findUnusedPort();
  const env = exportTo(`http://127.0.0.1:${port}`, { OTEL_EXPORTER_OTLP_TIMEOUT: '50' });
  const seeded = await startServer(env);
  const receiver = await openReceiver();
  await confirmOrder(seeded, receiver.url);
  await receiver.until(({ length }) => length > 0);
  await seeded.server.writes(/traces could not be exported/, 'stderr');
  const buyer = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.buyer.apiKey });
  for (let count = 0; count < 20; count += 1) await buyer.orders.list();
  const exit = await seeded.server.stop();
  expect(exit).toMatchObject({ code: 0, signal: null });
  const lines = exit.stderr.split('\n').filter((line) => line.includes('could not be exported'));
  expect(lines.length).toBeLessThanOrEqual(2);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 40 });
});

it.each([
  ['loads nothing of OpenTelemetry without a configuration', {}, /^0,0$/],
  [
    'loads OpenTelemetry in both threads with one',
    { OTEL_TRACES_EXPORTER: 'otlp' },
    /^[1-9]\d*,[1-9]\d*$/,
  ],
  [
    'loads nothing with the SDK disabled',
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' },
    /^0,0$/,
  ],
])('a server %s', async (_, env, counts) => {
  const report = join(checkout, 'test/helpers/report-modules.cjs');
  const seeded = await startServer({
    ...env,
    OTEL_EXPORTER_OTLP_TIMEOUT: '50',
    NODE_OPTIONS: `--require ${report}`,
  });
  const receiver = await openReceiver();
  await confirmOrder(seeded, receiver.url);
  const [arrival] = await receiver.until(({ length }) => length > 0);
  const exit = await seeded.server.stop();
  const found = exit.stderr.matchAll(/modules of OpenTelemetry in the \w+ thread: (\d+)/g);
  const text = [...found].map(([, count]) => count).join();
  expect(text).toMatch(counts);
  expect(arrival?.headers.traceparent !== undefined).toBe(text !== '0,0');
});

it.each([
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'Set it to otlp, or to none'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'Set it to http/protobuf or http/json'],
])('`start` rejects %s=%s', async (name, value, hint) => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', [name]: value };
  const args = [tradepostServerBin, 'start', '--database', ':memory:', '--port', '0'];
  const exit = await runProcess(process.execPath, args, { env });
  expect(exit).toMatchObject({ code: 1, stdout: '' });
  expect(exit.stderr).toContain(`error: ${name}=${value} is not supported. ${hint}`);
});
