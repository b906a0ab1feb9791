import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { version } from '../kernel/version';

/** The encodings of OTLP over HTTP. */
export type OtlpProtocol = 'http/json' | 'http/protobuf';

/** The SDK of this thread. */
export interface TracingSdk {
  /** Exports the spans that have ended, for up to two seconds, and drops the others. Never rejects. */
  stop(): Promise<void>;
}

const ownAttributes = { 'service.name': 'tradepost-server', 'service.version': version };
/** How long a thread waits for the collector when it stops, in milliseconds. */
const flushTimeoutMs = 2_000;
/** Problems of the exporter are logged once in this time, in milliseconds. */
const logIntervalMs = 300_000;

/**
 * Registers a provider that exports spans in batches by OTLP over HTTP. Sampler, batches, limits and exporter follow the
 * standard environment variables. Spans that the collector does not take in time are dropped.
 */
export async function startSdk(protocol: OtlpProtocol, log: Logger): Promise<TracingSdk> {
  const report = createReporter(log);
  // Their messages have no headers, which may contain the key of the collector.
  setGlobalErrorHandler((error) => report(error instanceof Error ? error.message : String(error)));
  const ignore = () => {};
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  const processor = new BatchSpanProcessor(await createExporter(protocol));
  const provider = new BasicTracerProvider({
    // The latter win.
    resource: defaultResource()
      .merge(resourceFromAttributes(ownAttributes))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [processor],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // No baggage: it is not for this service.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    async stop() {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, flushTimeoutMs);
      });
      const flushed = provider.shutdown().catch((error: Error) => report(error.message));
      await Promise.race([flushed, timeout]);
      clearTimeout(timer);
    },
  };
}

async function createExporter(protocol: OtlpProtocol): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

/** Returns a function that logs problems, but only the first one in each interval. */
function createReporter(log: Logger): (reason: string) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let omitted = 0;
  return (reason) => {
    const now = performance.now();
    if (now - loggedAt < logIntervalMs) {
      omitted += 1;
      return;
    }
    log.warn({ reason, omitted }, 'traces could not be exported');
    loggedAt = now;
    omitted = 0;
  };
}
