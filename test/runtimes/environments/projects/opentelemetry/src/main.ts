// Makes calls with the client of the recipe, and prints what the SDK of OpenTelemetry exports.
import { metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type HistogramMetricData,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';

const spans = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

const { tradepost } = await import('./client.js');
const tracer = trace.getTracer('program');

/** Makes a call within a span of the program. Returns the code of its error. */
function call(name: string, run: () => Promise<unknown>): Promise<string | undefined> {
  return tracer.startActiveSpan(name, async (span) => {
    try {
      await run();
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      span.end();
    }
  });
}

const slow = tradepost.withOptions({ timeout: 50, maxRetries: 0 });
const dead = tradepost.withOptions({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
const interrupt = new AbortController();
const codes = {
  retried: await call('retried', () => tradepost.orders.list({ limit: 1 })),
  missing: await call('missing', () => tradepost.orders.get('ord_00000000000000000000000000')),
  invalid: await call('invalid', () => tradepost.orders.get('ord_invalid')),
  unreachable: await call('unreachable', () => dead.orders.list()),
  late: await call('late', () => slow.request('GET', '/never')),
  aborted: await call('aborted', () => {
    const aborted = tradepost.request('GET', '/never', { signal: interrupt.signal });
    setImmediate(() => interrupt.abort());
    return aborted;
  }),
};
// Calls at the same time, each within its own span.
await Promise.all(
  ['first', 'second', 'third'].map((name) => call(name, () => tradepost.account.get())),
);
// Without a span around it.
await tradepost.account.get();

await reader.forceFlush();
const [histogram] = exporter
  .getMetrics()
  .flatMap(({ scopeMetrics }) => scopeMetrics)
  .flatMap((scope) => scope.metrics) as HistogramMetricData[];
console.log(
  JSON.stringify({
    codes,
    spans: spans.getFinishedSpans().map((span) => ({
      name: span.name,
      kind: span.kind,
      status: span.status.code,
      attributes: span.attributes,
      parent: span.parentSpanContext?.spanId,
      traceId: span.spanContext().traceId,
      spanId: span.spanContext().spanId,
    })),
    histogram: {
      ...histogram?.descriptor,
      points: histogram?.dataPoints.map(({ attributes, value }) => ({
        attributes,
        count: value.count,
        sum: value.sum,
        boundaries: value.buckets.boundaries,
      })),
    },
  }),
);
await reader.shutdown();
