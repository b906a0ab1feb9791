import type { Logger } from 'pino';
import type { OtlpProtocol, TracingSdk } from './sdk';

/** How the environment configures traces. */
export interface TracingConfig {
  protocol: OtlpProtocol;
}

const protocols: readonly OtlpProtocol[] = ['http/protobuf', 'http/json'];

/**
 * Reads from the environment whether and how traces are exported; null if they are not. An endpoint or the exporter `otlp`
 * turns them on. Source: OpenTelemetry specification, "Environment Variable Specification".
 *
 * @throws RangeError for an exporter or a protocol that is not supported. The message is for the operator.
 */
export function readTracingConfig(env: NodeJS.ProcessEnv): TracingConfig | null {
  const read = (name: string) => env[name]?.trim() || undefined;
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  const endpoint =
    read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const exporter = read('OTEL_TRACES_EXPORTER') ?? (endpoint === undefined ? 'none' : 'otlp');
  if (exporter === 'none') return null;
  if (exporter !== 'otlp') {
    throw new RangeError(
      `OTEL_TRACES_EXPORTER=${exporter} is not supported. Set it to otlp, or to none to turn traces off.`,
    );
  }
  const setting = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read('OTEL_EXPORTER_OTLP_PROTOCOL');
  const protocol = protocols.find((known) => known === (setting ?? 'http/protobuf'));
  if (protocol === undefined) {
    throw new RangeError(
      `OTEL_EXPORTER_OTLP_PROTOCOL=${setting} is not supported. Set it to ${protocols.join(' or ')}, or set OTEL_TRACES_EXPORTER to none to turn traces off.`,
    );
  }
  return { protocol };
}

/**
 * Loads the OpenTelemetry SDK in this thread and registers its provider, so that `loadTracer` returns a tracer. Without the
 * optional packages, logs that and returns undefined.
 */
export async function startTracing(
  { protocol }: TracingConfig,
  log: Logger,
): Promise<TracingSdk | undefined> {
  try {
    const { startSdk } = await import('./sdk');
    return await startSdk(protocol, log);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    log.warn(
      { reason: (error as Error).message },
      'traces are off: OpenTelemetry is not installed; install the server with its optional dependencies',
    );
    return undefined;
  }
}
