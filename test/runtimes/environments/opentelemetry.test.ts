import { beforeAll, describe, expect, test } from 'vitest';
import { forwardRequest } from '../../helpers/forward-request';
import { startHttpServer } from '../../helpers/loopback';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { installEnvironment } from './install-environment';
import { readRecipe } from './read-recipe';

type Attributes = Record<string, string | number>;

/** A span, as the program prints it. */
interface PrintedSpan {
  name: string;
  kind: number;
  status: number;
  attributes: Attributes;
  parent?: string;
  traceId: string;
  spanId: string;
}

/** What the program prints. */
interface Results {
  codes: Record<string, string | undefined>;
  spans: PrintedSpan[];
  histogram: {
    name: string;
    unit: string;
    points: { attributes: Attributes; count: number; sum: number; boundaries: number[] }[];
  };
}

/** Kinds and statuses of spans. Source: `@opentelemetry/api`. */
const [internal, client] = [0, 2];
const [unset, error] = [0, 2];

let results: Results;
/** The `traceparent` of each request, in order. */
const sentContexts: unknown[] = [];
let port: number;

beforeAll(async () => {
  const service = await startSeededServer();
  let failures = 1;
  // In front of the reference server: fails once, never responds at one path, and sends no JSON at another.
  const proxy = await startHttpServer((request, response) => {
    sentContexts.push(request.headers.traceparent);
    if (request.url === '/never') return;
    if (request.url === '/v1/orders/ord_invalid') return void response.end('<html>');
    if (failures > 0) {
      failures -= 1;
      response.writeHead(503, { 'retry-after': '0' }).end();
      return;
    }
    forwardRequest(request, response, service.server.url);
  });
  port = proxy.port;
  const environment = await installEnvironment({
    name: 'opentelemetry',
    dependencies: {
      // Version 3 of the SDK needs Node 22, and version 2 works with this API.
      '@opentelemetry/api': '1.9.1',
      '@opentelemetry/sdk-metrics': '2.12.1',
      '@opentelemetry/sdk-trace-node': '2.12.0',
      '@types/node': '20.19.43',
      typescript: '5.9.3',
    },
    files: readRecipe('OpenTelemetry'),
  });
  try {
    await environment.run('typescript/bin/tsc');
    const { code, stdout, stderr } = await environment.node(['dist/main.js'], {
      ...service.createEnvironment(service.buyer),
      TRADEPOST_BASE_URL: proxy.url,
    });
    expect([code, stderr]).toEqual([0, '']);
    results = JSON.parse(stdout) as Results;
  } finally {
    await environment.remove();
    await proxy.close();
    await service.close();
  }
});

/** Returns the spans of the attempts of a call, by the span of the program around it. */
function findAttempts(call: string): PrintedSpan[] {
  const around = results.spans.find(({ name, kind }) => name === call && kind === internal);
  const { spanId, traceId } = around ?? {};
  return results.spans.filter((span) => span.parent === spanId && span.traceId === traceId);
}

const formatTraceparent = ({ traceId, spanId }: PrintedSpan) => `00-${traceId}-${spanId}-01`;

describe('the hooks of the recipe', () => {
  test('leave the results of calls unchanged', () => {
    expect(results.codes).toEqual({
      missing: 'order_not_found',
      invalid: 'invalid_response',
      unreachable: 'connection_failed',
      late: 'timeout',
      aborted: 'aborted',
    });
  });

  test('create a span for each attempt of a call, with the attributes of the conventions', () => {
    const common = {
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': port,
      'url.template': '/v1/orders',
      'url.full': `http://127.0.0.1:${port}/v1/orders?limit=1`,
      'tradepost.operation': 'orders.list',
      'tradepost.call_id': expect.any(String),
    };
    const [failed, retried, ...more] = findAttempts('retried');
    expect(more).toEqual([]);
    expect(failed).toMatchObject({ name: 'GET /v1/orders', kind: client, status: error });
    expect(failed?.attributes).toEqual({
      ...common,
      'http.response.status_code': 503,
      'error.type': '503',
    });
    expect(retried).toMatchObject({ name: 'GET /v1/orders', kind: client, status: unset });
    expect(retried?.attributes).toEqual({
      ...common,
      'http.request.resend_count': 1,
      'http.response.status_code': 200,
      'tradepost.request_id': expect.any(String),
    });
    expect(failed?.attributes['tradepost.call_id']).toBe(retried?.attributes['tradepost.call_id']);
  });

  test.each([
    { call: 'missing', type: '404', name: 'GET /v1/orders/:id' },
    { call: 'unreachable', type: 'connection_failed', name: 'GET /v1/orders' },
    { call: 'late', type: 'timeout', name: 'GET /never' },
    { call: 'aborted', type: 'aborted', name: 'GET /never' },
  ])('end the span of a failed call with its error ($call)', ({ call, type, name }) => {
    const attempts = findAttempts(call);
    expect(attempts).toMatchObject([{ name, status: error, attributes: { 'error.type': type } }]);
    const status = attempts[0]?.attributes['http.response.status_code'];
    expect(status).toBe(call === 'missing' ? 404 : undefined);
  });

  test('leave the span of a response without an error when its body is not valid', () => {
    expect(findAttempts('invalid')).toMatchObject([
      { status: unset, attributes: { 'http.response.status_code': 200 } },
    ]);
  });

  test.each(['first', 'second', 'third'])(
    'put the span of a call into the span that was active, also at the same time (%s)',
    (call) => {
      expect(findAttempts(call)).toMatchObject([
        { attributes: { 'tradepost.operation': 'account.get' } },
      ]);
    },
  );

  test('start a trace for a call without an active span', () => {
    const roots = results.spans.filter(({ kind, parent }) => kind === client && !parent);
    expect(roots).toMatchObject([{ attributes: { 'tradepost.operation': 'account.get' } }]);
  });

  test('send the context of each attempt to the service', () => {
    const attempts = results.spans.filter(({ kind }) => kind === client);
    expect(attempts.map(formatTraceparent)).toEqual(expect.arrayContaining(sentContexts));
    const responded = attempts.filter(
      ({ attributes }) => attributes['http.response.status_code'] !== undefined,
    );
    expect(sentContexts).toEqual(expect.arrayContaining(responded.map(formatTraceparent)));
    expect(new Set(sentContexts).size).toBe(sentContexts.length);
  });

  test('measure each attempt once, by attributes with few values', () => {
    const { name, unit, points } = results.histogram;
    expect([name, unit]).toEqual(['http.client.request.duration', 's']);
    expect(points[0]?.boundaries).toEqual([
      0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]);
    const attempts = results.spans.filter(({ kind }) => kind === client);
    const total = points.reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(attempts.length);
    const server = { 'http.request.method': 'GET', 'server.address': '127.0.0.1' };
    expect(points.map(({ attributes, count }) => ({ ...attributes, count }))).toContainEqual({
      ...server,
      'server.port': port,
      'url.template': '/v1/account',
      'http.response.status_code': 200,
      count: 4,
    });
    const late = points.find(({ attributes }) => attributes['error.type'] === 'timeout');
    expect(late?.sum).toBeGreaterThan(0.04);
    expect(late?.sum).toBeLessThan(10);
  });
});
