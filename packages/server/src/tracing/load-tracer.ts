import type { Tracer } from './tracer';

/**
 * Where the OpenTelemetry API keeps what a program registered, whichever copies of the API there are. Source:
 * @opentelemetry/api, `internal/global-utils`; the same in all versions 1.x.
 */
const apiGlobal = Symbol.for('opentelemetry.js.api.1');

/** Returns whether the program has registered a tracer provider with the OpenTelemetry API. Does not load the API. */
export function hasProvider(): boolean {
  const registered = (globalThis as { [apiGlobal]?: { trace?: unknown } })[apiGlobal];
  return registered?.trace !== undefined;
}

/** Loads and returns a tracer if there is a provider. */
export async function loadTracer(): Promise<Tracer | undefined> {
  if (!hasProvider()) return undefined;
  const { createTracer } = await import('./tracer');
  return createTracer();
}
