import { startHttpServer } from './loopback';

/** A span as it was exported. */
export interface ExportedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  /** As OTLP numbers them: 1 internal, 2 server, 3 client. */
  kind: number;
  name: string;
  traceState: string;
  attributes: Record<string, unknown>;
  links: string[];
  /** As OTLP numbers them: 0 unset, 2 error. */
  status: number;
  /** The attributes of its resource. */
  resource: Record<string, unknown>;
}

/** A collector of OpenTelemetry on loopback. */
export interface Collector {
  url: string;
  spans: ExportedSpan[];
  /** The content types of the requests. */
  contentTypes: string[];
  /** The bodies of the requests. */
  bodies: string[];
  /** Waits until a request has arrived. */
  requested: Promise<void>;
  /** Waits until the spans satisfy a condition. */
  until(condition: (spans: ExportedSpan[]) => boolean): Promise<ExportedSpan[]>;
  close(): Promise<void>;
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  name: string;
  traceState?: string;
  attributes: OtlpAttribute[];
  links?: { spanId: string }[];
  status: { code: number };
}

interface OtlpTraces {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

function readAttributes(attributes: OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [item] = Object.values(value);
      return [key, item];
    }),
  );
}

function readSpans(body: string): ExportedSpan[] {
  const { resourceSpans } = JSON.parse(body) as OtlpTraces;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        kind: span.kind,
        name: span.name,
        traceState: span.traceState ?? '',
        attributes: readAttributes(span.attributes),
        links: (span.links ?? []).map(({ spanId }) => spanId),
        status: span.status.code,
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

/**
 * Starts a collector that decodes OTLP in JSON.
 *
 * @param responds Whether it responds. Otherwise it accepts requests and lets them wait.
 */
export async function startCollector(responds = true): Promise<Collector> {
  const spans: ExportedSpan[] = [];
  const contentTypes: string[] = [];
  const bodies: string[] = [];
  const waiting = new Set<() => void>();
  let resolveRequested = () => {};
  const requested = new Promise<void>((resolve) => {
    resolveRequested = resolve;
  });
  const { url, close } = await startHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const contentType = request.headers['content-type'] ?? '';
    contentTypes.push(contentType);
    bodies.push(body);
    if (contentType === 'application/json') spans.push(...readSpans(body));
    resolveRequested();
    for (const check of waiting) check();
    if (responds) response.writeHead(200, { 'Content-Type': contentType }).end();
  });
  return {
    url,
    spans,
    contentTypes,
    bodies,
    requested,
    until: (condition) =>
      new Promise((resolve) => {
        const check = () => {
          if (!condition(spans)) return;
          waiting.delete(check);
          resolve(spans);
        };
        waiting.add(check);
        check();
      }),
    close,
  };
}
