import {
  type Context,
  context,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Caller } from '@tradepost/domain/accounts/account';
import {
  type Attempt,
  isAcknowledged,
  type LeasedDelivery,
} from '@tradepost/domain/deliveries/delivery';
import type { Request, RequestHandler, Response } from 'express';
import type { Sender } from '../engine/attempt/send';
import type { RequestTracer } from '../http/app';
import { healthPaths } from '../http/health';
import { getRequestId, redactPath } from '../http/request-log';
import { version } from '../kernel/version';
import type { ChangeTrace, ChangeTracer, TransactionTrace } from '../stores/store';

/** Traces requests, changes and attempts. */
export interface Tracer {
  requests: RequestTracer;
  changes: ChangeTracer;
  /** Returns a sender whose attempts are traced, and tell receivers their trace. */
  traceSender(sender: Sender): Sender;
  /** Returns a function that runs `work` outside the trace of its caller. */
  detach(work: () => void): () => void;
}

/** Creates a tracer whose spans go to the provider that is registered with the OpenTelemetry API. */
export function createTracer(): Tracer {
  return {
    requests: traceRequests(),
    changes: traceChanges(),
    traceSender,
    detach: (work) => () => context.with(ROOT_CONTEXT, work),
  };
}

const tracer = () => trace.getTracer('@tradepost/server', version);

/** A request in progress. */
interface TracedRequest {
  /** False after its response: timers that it started continue its context, but are not part of it. */
  isOpen: boolean;
}

const requestKey = createContextKey('tradepost request');
const knownMethods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);
const exemptPaths = new Set<string>(healthPaths);

function traceRequests(): RequestTracer {
  const start: RequestHandler = (req, res, next) => {
    // A client's path is not in the span's name, and a probe has no span.
    if (exemptPaths.has(req.path)) return next();
    const method = knownMethods.has(req.method) ? req.method : '_OTHER';
    const name = method === '_OTHER' ? 'HTTP' : method;
    const parent = propagation.extract(ROOT_CONTEXT, req.headers);
    const span = tracer().startSpan(
      name,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
      parent,
    );
    if (span.isRecording()) describeRequest(span, req, res);
    const spanContext = span.spanContext();
    if (isSpanContextValid(spanContext)) res.locals.traceId = spanContext.traceId;
    const request: TracedRequest = { isOpen: true };
    res.locals.traceContext = trace.setSpan(parent, span).setValue(requestKey, request);
    res.once('close', () => {
      request.isOpen = false;
      if (span.isRecording()) describeResponse(span, name, req, res);
      span.end();
    });
    next();
  };
  const resume: RequestHandler = (_req, res, next) => {
    const requestContext = res.locals.traceContext as Context | undefined;
    if (requestContext === undefined) next();
    else context.with(requestContext, () => next());
  };
  return { start, resume };
}

/** Neither the query nor headers: they may have what must not be recorded. */
function describeRequest(span: Span, req: Request, res: Response): void {
  span.setAttributes({
    'url.scheme': req.protocol,
    'url.path': redactPath(req.path),
    'network.protocol.version': req.httpVersion,
    'http.response.header.x-request-id': [getRequestId(res)],
  });
}

function describeResponse(span: Span, name: string, req: Request, res: Response): void {
  const route: unknown = req.route?.path;
  if (typeof route === 'string') {
    span.updateName(`${name} ${route}`);
    span.setAttribute('http.route', route);
  }
  const caller = res.locals.caller as Caller | undefined;
  if (caller) {
    span.setAttributes({
      'tradepost.account.id': caller.accountId,
      'tradepost.key.id': caller.keyId,
    });
  }
  if (res.headersSent) span.setAttribute('http.response.status_code', res.statusCode);
  if (!res.writableFinished) span.setAttribute('tradepost.aborted', true);
  if (res.headersSent && res.statusCode >= 500) fail(span, String(res.statusCode));
}

function traceChanges(): ChangeTracer {
  const spans = new WeakMap<ChangeTrace, Span>();
  return {
    startChange() {
      const requestContext = context.active();
      const request = requestContext.getValue(requestKey) as TracedRequest | undefined;
      const parent = trace.getSpanContext(requestContext);
      if (!request?.isOpen || parent === undefined || !isSpanContextValid(parent)) return null;
      // Its deliveries are not recorded either.
      if (!isSampled(parent)) return { context: formatContext(parent), end() {} };
      const span = tracer().startSpan('change', {}, requestContext);
      const change: ChangeTrace = {
        context: formatContext(span.spanContext()),
        end(error) {
          // A request that is rejected by a rule is no failure of the store.
          if (error !== undefined && isFault(error)) fail(span, error.name);
          span.end();
        },
      };
      spans.set(change, span);
      return change;
    },

    startTransaction(system, changes) {
      const [first, ...others] = changes
        .map((change) => spans.get(change))
        .filter((span) => span !== undefined);
      if (first === undefined) return { end() {} };
      const span = tracer().startSpan(
        'transaction',
        {
          attributes: { 'db.system.name': system },
          links: others.map((other) => ({ context: other.spanContext() })),
        },
        trace.setSpan(ROOT_CONTEXT, first),
      );
      // It belongs to several traces, but a span has only one parent.
      for (const other of others) other.addLink({ context: span.spanContext() });
      return endTransaction(span);
    },
  };
}

function endTransaction(span: Span): TransactionTrace {
  return {
    end(changes, error) {
      if (changes > 1) span.setAttribute('db.operation.batch.size', changes);
      if (error instanceof Error) fail(span, error.name);
      span.end();
    },
  };
}

/** Errors of the domain have a code of the contract and are responses of the API. */
function isFault(error: unknown): error is Error {
  return error instanceof Error && error.name !== 'DomainError';
}

function traceSender(sender: Sender): Sender {
  return {
    async send(delivery) {
      const span = startAttempt(delivery);
      const spanContext = span.spanContext();
      const traceparent = isSpanContextValid(spanContext) ? formatTraceparent(spanContext) : '';
      try {
        const attempt = await sender.send(delivery, traceparent);
        describeAttempt(span, attempt);
        return attempt;
      } catch (error) {
        fail(span, error instanceof Error ? error.name : 'unexpected');
        throw error;
      } finally {
        span.end();
      }
    },
    close: () => sender.close(),
  };
}

function startAttempt(delivery: LeasedDelivery): Span {
  const stored = parseContext(delivery.traceContext);
  const parent = stored ? trace.setSpanContext(ROOT_CONTEXT, stored) : ROOT_CONTEXT;
  return tracer().startSpan(
    'POST',
    {
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': 'POST',
        ...describeServer(delivery.url),
        ...(delivery.attemptCount > 0 && { 'http.request.resend_count': delivery.attemptCount }),
        'tradepost.delivery.id': delivery.id,
        'tradepost.event.id': delivery.eventId,
        'tradepost.webhook.id': delivery.webhookId,
      },
    },
    parent,
  );
}

/** Without path and query: in the URLs of receivers, these are often secret. */
function describeServer(url: string): Record<string, string | number> {
  if (!URL.canParse(url)) return {};
  const { protocol, hostname, port } = new URL(url);
  const scheme = protocol.slice(0, -1);
  return {
    'url.scheme': scheme,
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(port) || (scheme === 'https' ? 443 : 80),
  };
}

function describeAttempt(span: Span, attempt: Attempt): void {
  const { status, error } = attempt;
  if (status !== null) span.setAttribute('http.response.status_code', status);
  if (error !== null) span.setAttribute('error.type', error);
  if (!isAcknowledged(attempt)) fail(span, error ?? String(status));
}

/** @param type A status or a name, never a message: messages may quote what was received. */
function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** Formats the header `traceparent`. Source: W3C Trace Context, section 3.2. */
function formatTraceparent(spanContext: SpanContext): string {
  return `00-${spanContext.traceId}-${spanContext.spanId}-${isSampled(spanContext) ? '01' : '00'}`;
}

/** Formats what is stored with a delivery. OpenTelemetry limits `tracestate` to 512 characters. */
function formatContext(spanContext: SpanContext): string {
  const traceState = spanContext.traceState?.serialize();
  const traceparent = formatTraceparent(spanContext);
  return traceState ? `${traceparent} ${traceState}` : traceparent;
}

const storedContext = /^00-([0-9a-f]{32})-([0-9a-f]{16})-(0[01])(?: (.+))?$/;

/** Parses what is stored with a delivery. Null if there is nothing that can be used. */
function parseContext(text: string | null): SpanContext | null {
  const [, traceId, spanId, flags, traceState] = storedContext.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return {
    traceId,
    spanId,
    traceFlags: flags === '01' ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(traceState && { traceState: createTraceState(traceState) }),
  };
}
