import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { headerNames } from '@tradepost/contract/wire';
import type { Caller } from '@tradepost/domain/accounts/account';
import { requestIdPattern } from '@tradepost/domain/problems';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { redactSecrets } from '../kernel/redact';
import type { LogSampler } from './log-sampler';

/** How Node spells it in `headers`. */
const requestIdHeader = headerNames.requestId.toLowerCase();
/** Creates a request ID: `req_` and 32 hex digits. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** Returns the request's own ID if it is valid and is not a key, otherwise a new one. */
export function resolveRequestId(ownId: unknown): string {
  const isValid =
    typeof ownId === 'string' && requestIdPattern.test(ownId) && redactSecrets(ownId) === ownId;
  return isValid ? ownId : newRequestId();
}

/** Returns the request ID of a response. */
export function getRequestId(res: Response): string {
  return String(res.getHeader(headerNames.requestId));
}

/** A request that may have waited in the admission queue. */
export interface WithQueueTime {
  /** For how long, in milliseconds. */
  queuedMs?: number;
}

/** Returns how long a request waited in the admission queue, in milliseconds. */
export function getQueuedMs({ queuedMs = 0 }: IncomingMessage & WithQueueTime): number {
  return queuedMs;
}

/** A request whose response is complete, as metrics count it. */
export interface CompletedRequest {
  method: string;
  /** The route template, such as `/v1/orders/:id`; null for a path without an endpoint. */
  route: string | null;
  /** HTTP status of the response. */
  status: number;
  /** Milliseconds from its headers to the end of its response, with its wait in the admission queue. */
  durationMs: number;
}

function describeRequest(req: Request, res: Response, durationMs: number): CompletedRequest {
  const path: unknown = req.route?.path;
  return {
    method: req.method,
    route: typeof path === 'string' ? path : null,
    status: res.statusCode,
    durationMs: Math.round(durationMs * 10) / 10,
  };
}

/** Returns an IPv4 address as such, also if a server received it that listens on IPv6 addresses. */
export function toPlainAddress(address: string | undefined): string | undefined {
  return address?.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** An address with a port, which some proxies append: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const addressWithPort = /^(?:\[([\d.:a-fA-F]+)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * Returns the address of the client, which Express takes from `X-Forwarded-For` as far as proxies are trusted. The header can
 * have anything: what is not an address is ignored.
 */
export function getClientAddress(req: Request): string | undefined {
  const { ip = '', socket } = req;
  if (isIP(ip) !== 0) return toPlainAddress(ip);
  const [, v6 = '', v4 = ''] = addressWithPort.exec(ip) ?? [];
  return isIP(v6 || v4) === 0 ? toPlainAddress(socket.remoteAddress) : v6 || v4;
}

/** What follows the requests of an application. */
export interface RequestObserver {
  log: Logger;
  /** Decides which requests are logged one by one. */
  sampler: LogSampler;
  /** Called after each complete response. */
  onRequestCompleted?: ((request: CompletedRequest) => void) | undefined;
  /** Called after each response, complete or not. */
  onResponseClosed: () => void;
}

/**
 * Gives each request its ID, and logs it after its response: client, path, route, status, duration and bytes, but no headers or
 * bodies. One listener for everything that follows a response, because every listener costs time.
 */
export function observeRequests(observer: RequestObserver): RequestHandler {
  const { log, sampler, onRequestCompleted, onResponseClosed } = observer;

  function report(req: Request, res: Response, durationMs: number): void {
    const request = describeRequest(req, res, durationMs);
    if (res.writableFinished) onRequestCompleted?.(request);
    if (!log.isLevelEnabled('info') || !sampler.take(request.status)) return;
    // A request that was rejected before Express has no locals.
    const { caller, traceId } = (res.locals ?? {}) as { caller?: Caller; traceId?: string };
    const bytes = Number(res.getHeader('Content-Length') ?? 0);
    const line = {
      requestId: getRequestId(res),
      clientAddress: getClientAddress(req),
      method: request.method,
      path: redactPath(req.path),
      route: request.route,
      status: request.status,
      durationMs: request.durationMs,
      bytes: req.method === 'HEAD' ? 0 : bytes,
      ...(traceId && { traceId }),
      ...(caller && { accountId: caller.accountId, keyId: caller.keyId }),
      ...(!res.writableFinished && { aborted: true }),
    };
    log.info(line, 'request');
  }

  return (req, res, next) => {
    const startedAt = performance.now() - getQueuedMs(req);
    res.setHeader(headerNames.requestId, resolveRequestId(req.headers[requestIdHeader]));
    res.once('close', () => {
      try {
        report(req, res, performance.now() - startedAt);
      } catch (error) {
        log.error({ err: error }, 'recording a request failed');
      }
      onResponseClosed();
    });
    next();
  };
}

/** Redacts API keys and endpoint secrets in a path, also if they are percent-encoded. */
export function redactPath(path: string): string {
  const redacted = redactSecrets(path);
  if (!path.includes('%')) return redacted;
  const decoded = decodePath(path);
  const decodedRedacted = redactSecrets(decoded);
  return decodedRedacted === decoded ? redacted : decodedRedacted;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not valid as a whole. Each valid sequence of ASCII is decoded.
    return path.replace(/%[2-7][\da-f]/gi, (text) => decodeURIComponent(text));
  }
}
