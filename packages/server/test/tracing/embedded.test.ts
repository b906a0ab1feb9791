import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { inTurn, respond } from '../helpers/receiver';
import { tempFile } from '../helpers/temp-folder';
import { DeliveringService } from '../http/delivering-service';
import { RecordedSpans } from './recorded-spans';

async function start(options: Parameters<typeof DeliveringService.start>[0] = {}) {
  const service = await DeliveringService.start(options);
  onTestFinished(() => service.close());
  return service;
}

const idOf = (span: ReadableSpan) => span.spanContext().spanId;
const traceOf = (span: ReadableSpan) => span.spanContext().traceId;
const parentOf = (span: ReadableSpan) => span.parentSpanContext?.spanId;
const traceparentOf = (span: ReadableSpan) => `00-${traceOf(span)}-${idOf(span)}-01`;
const isOf = (span: ReadableSpan) => (other: ReadableSpan) => traceOf(other) === traceOf(span);

test('each attempt of a delivery is part of the trace of the request that caused it', async () => {
  const spans = RecordedSpans.register();
  const service = await start();
  const { receiver } = await service.hook(inTurn(respond(500), respond(204)));
  await service.placeAndRecord();
  await service.skipToNext();
  await service.recorded();
  const [first, second] = (await spans.all('POST', 2)) as [ReadableSpan, ReadableSpan];
  const request = await spans.first('POST /v1/orders');
  const change = spans.ended.find(
    (span) => span.name === 'change' && parentOf(span) === idOf(request),
  );
  expect(request).toMatchObject({ kind: SpanKind.SERVER, parentSpanContext: undefined });
  for (const attempt of [first, second]) {
    expect(attempt.kind).toBe(SpanKind.CLIENT);
    expect(traceOf(attempt)).toBe(traceOf(request));
    expect(parentOf(attempt)).toBe(change && idOf(change));
    expect((await receiver.next()).headers.traceparent).toBe(traceparentOf(attempt));
  }
  expect(first.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(first.attributes).not.toHaveProperty('http.request.resend_count');
  expect(second.status).toEqual({ code: SpanStatusCode.UNSET });
  expect(second.attributes).toMatchObject({ 'http.request.resend_count': 1 });
  const { attempts } = await service.newest();
  expect(attempts.map(({ headers }) => headers.traceparent)).toEqual(
    [first, second].map(traceparentOf),
  );
  expect(service.logs.text.join()).toContain(`"traceId":"${traceOf(request)}"`);
});

test('the leases and records of the engine are not part of the trace of a request', async () => {
  const spans = RecordedSpans.register();
  const service = await start();
  await service.hook(respond(204));
  await service.placeAndRecord();
  const request = await spans.first('POST /v1/orders');
  // Timers that the request started, such as the one that records the use of its key, continue its context.
  await service.clock.advance(120_000);
  await service.service.store.checkWritable();
  const names = spans.ended.filter(isOf(request)).map(({ name }) => name);
  expect(names.sort()).toEqual(['POST', 'POST /v1/orders', 'change', 'transaction']);
});

test('a replay is attempted in the trace of the request for it', async () => {
  const spans = RecordedSpans.register();
  const service = await start();
  await service.hook(respond(204));
  await service.placeAndRecord();
  const { id } = await service.newest();
  await service.service.request(`POST /v1/deliveries/${id}/replay`, { as: service.buyer });
  await service.recorded();
  const [, attempt] = (await spans.all('POST', 2)) as [ReadableSpan, ReadableSpan];
  const replay = await spans.first('POST /v1/deliveries/:id/replay');
  expect(traceOf(attempt)).toBe(traceOf(replay));
});

test('changes that share a transaction are linked to it', async () => {
  const file = tempFile();
  const spans = RecordedSpans.register();
  // Without a webhook: the leases of deliveries would join the transaction.
  const service = await start({ store: openSqliteStore(file) });
  const other = new Database(file);
  onTestFinished(() => void other.close());
  // The first change waits for the lock, the others wait for the first.
  other.exec('BEGIN IMMEDIATE');
  const first = service.place();
  await spans.until(() => spans.started.filter((name) => name === 'change').length === 1);
  const others = [service.place(), service.place(), service.place()];
  await spans.until(() => spans.started.filter((name) => name === 'change').length === 4);
  other.exec('COMMIT');
  await Promise.all([first, ...others]);

  const changes = (await spans.all('change', 4)).slice(1);
  const shared = spans.ended.find(
    ({ attributes }) => attributes['db.operation.batch.size'] === 3,
  ) as ReadableSpan;
  const [parent, ...linked] = changes as [ReadableSpan, ReadableSpan, ReadableSpan];
  expect(parentOf(shared)).toBe(idOf(parent));
  expect(shared.links.map(({ context }) => context.spanId)).toEqual(linked.map(idOf));
  expect(parent.links).toEqual([]);
  for (const change of linked) {
    expect(change.links.map(({ context }) => context.spanId)).toEqual([idOf(shared)]);
    expect(traceOf(change)).not.toBe(traceOf(shared));
  }
  const blocked = spans.ended.filter(
    ({ name, status }) => name === 'transaction' && status.code === SpanStatusCode.ERROR,
  );
  expect(blocked.length).toBeGreaterThan(0);
  expect(blocked[0]?.attributes).toMatchObject({ 'error.type': 'SqliteError' });
});

test('a request that a rule rejects is no error, and keys in a path are redacted', async () => {
  const spans = RecordedSpans.register();
  const service = await start();
  const order = await service.place();
  const { request } = service.service;
  await request(`PATCH /v1/orders/${order.id}`, {
    as: service.seller,
    body: { status: 'completed' },
  });
  await request(`GET /v1/orders/${service.buyer.key}?key=${service.buyer.key}`, { as: 'no-key' });
  await request('GET /nowhere');
  await request('GET /livez');
  const patch = await spans.first('PATCH /v1/orders/:id');
  expect(patch.status.code).toBe(SpanStatusCode.UNSET);
  expect(patch.attributes['http.response.status_code']).toBe(409);
  const change = spans.ended.find((span) => parentOf(span) === idOf(patch));
  expect(change?.status.code).toBe(SpanStatusCode.UNSET);
  expect((await spans.first('GET /v1/orders/:id')).attributes['url.path']).toBe('/v1/orders/tpk_…');
  const unknown = await spans.first('GET');
  expect(unknown.attributes).toMatchObject({ 'http.response.status_code': 404 });
  expect(unknown.attributes).not.toHaveProperty('http.route');
  const text = JSON.stringify(spans.ended.map(({ name, attributes }) => ({ name, attributes })));
  expect(text).not.toContain(service.buyer.key);
  expect(text).not.toContain('livez');
});

test('without a provider, deliveries and logs have no trace', async () => {
  const service = await start();
  const { receiver } = await service.hook(respond(204));
  await service.placeAndRecord();
  expect((await receiver.next()).headers).not.toHaveProperty('traceparent');
  expect(service.logs.text.join()).not.toContain('traceId');
});
