import type { AccountEvent, EventPage, EventType } from '@tradepost/sdk';
import { explainFailure } from '@tradepost/sdk/explain';
import { version } from '../../../../package.json';
import type { HttpFetch } from '../../../client/create-client';
import { assertObject, CliError } from '../../../errors/cli-error';
import { formatCount } from '../../../output/text';
import { signDelivery } from '../secret';
import type { Checkpoint } from './checkpoint';
import type { StatusLine } from './status-line';

export interface ForwardedEvent {
  /** When it was accepted: ISO 8601, UTC. */
  at: string;
  id: string;
  event: string;
  status: number;
  attempts: number;
  durationMs: number;
}

export interface ListenOptions {
  start: Checkpoint;
  /** The pages of events from there on. They end when the signal aborts. */
  pages: AsyncIterable<EventPage>;
  /** @default all */
  eventTypes: readonly EventType[] | undefined;
  maxAttempts: number;
  /** Forwards an event. A failing receiver is a result, not an exception. */
  forward: (event: AccountEvent) => Promise<Forwarded>;
  save: (checkpoint: Checkpoint) => void;
  report: (event: ForwardedEvent) => Promise<void>;
  status: Pick<StatusLine, 'contact' | 'forwarding' | 'forwarded' | 'say'>;
  /** Milliseconds since 1970. */
  now: () => number;
  wait: (milliseconds: number) => Promise<void>;
  signal: AbortSignal;
}

/** Returns the delay after failed attempts, in milliseconds: 1 s, 2 s, 4 s … at most 30 s. */
export function nextDelay(attempts: number): number {
  return Math.min(1_000 * 2 ** (attempts - 1), 30_000);
}

/**
 * Forwards events in order, one at a time. No event is skipped. An event whose checkpoint was not saved is
 * forwarded again after a restart.
 *
 * @throws {CliError} `forwarding_failed` if the receiver does not accept an event
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { start, pages, eventTypes, save, status, signal } = options;
  let { from, done } = start;
  for await (const { data, nextCursor } of pages) {
    status.contact();
    for (const event of eventsAfter(data.map(assertObject), done)) {
      if (signal.aborted) return;
      const isWanted = eventTypes?.some((type) => type === event.event) ?? true;
      if (isWanted) {
        const accepted = await forwardUntilAccepted(event, options);
        if (accepted === null) return;
        save({ from, done: event.id });
        status.forwarded();
        await options.report(accepted);
      }
      done = event.id;
    }
    const hasMoved = !('after' in from) || from.after !== nextCursor || done !== null;
    from = { after: nextCursor };
    done = null;
    if (hasMoved) save({ from, done });
  }
}

/** Returns the events after the last one that is done; all of them if it has been pruned. */
function eventsAfter(events: readonly AccountEvent[], done: string | null): AccountEvent[] {
  return events.slice(events.findIndex(({ id }) => id === done) + 1);
}

/** Returns null if it was interrupted before the receiver accepted the event. */
async function forwardUntilAccepted(
  event: AccountEvent,
  { forward, maxAttempts, status, now, wait, signal }: ListenOptions,
): Promise<ForwardedEvent | null> {
  const name = `${event.event} ${event.id}`;
  status.forwarding(name);
  for (let attempts = 1; ; attempts += 1) {
    const startedAt = now();
    const { status: code, error, responseSnippet } = await forward(event);
    const endedAt = now();
    // An aborted attempt says nothing about the receiver.
    if (signal.aborted && error !== null) return null;
    const failure = explainFailure({ webhookId: '', lastStatus: code, lastError: error });
    if (failure === null && code !== null) {
      return {
        at: new Date(endedAt).toISOString(),
        id: event.id,
        event: event.event,
        status: code,
        attempts,
        durationMs: endedAt - startedAt,
      };
    }
    const snippet = responseSnippet === '' ? '' : ` (${responseSnippet.trim()})`;
    const reason = `${failure?.reason ?? 'no response'}${snippet}`;
    if (attempts >= maxAttempts) {
      throw new CliError(
        'forwarding_failed',
        `${name} was not accepted after ${formatCount(attempts, 'attempt')}: ${reason}`,
        'Fix the receiver, then run it again without --since to continue with this event.',
      );
    }
    if (signal.aborted) return null;
    const delayMs = nextDelay(attempts);
    status.say(`${name}: ${reason}. Retrying in ${delayMs / 1_000} s.`);
    await wait(delayMs);
    if (signal.aborted) return null;
  }
}

/** The timeout of the receiver, in milliseconds, as for real deliveries. */
const timeoutMs = 15_000;

/** The characters of an error response that are read. */
const maxSnippetLength = 500;

export interface Forwarding {
  url: string;
  secret: string;
  /** The time of the signature, in milliseconds since 1970. */
  now: number;
  signal: AbortSignal;
  send: HttpFetch;
}

export interface Forwarded {
  status: number | null;
  /** The error without a response, as in a delivery's `lastError`. */
  error: string | null;
  /** The start of an error response. */
  responseSnippet: string;
}

/**
 * Posts an event to a receiver as the service does: the same bytes, the same headers. It does not use the
 * SDK client: the API key is never near it.
 *
 * @throws {CliError} `usage` for an invalid secret
 */
export async function forwardEvent(
  event: AccountEvent,
  { url, secret, now, signal: interrupted, send }: Forwarding,
): Promise<Forwarded> {
  const { id, ...envelope } = event;
  const { init } = await signDelivery({ event: envelope, id, secret, sentAt: now });
  // Not `AbortSignal.any` with a timeout signal: that may be garbage-collected before it fires.
  const stop = new AbortController();
  const abort = () => stop.abort(interrupted.reason);
  const timer = setTimeout(() => stop.abort(new DOMException('', 'TimeoutError')), timeoutMs);
  interrupted.addEventListener('abort', abort);
  if (interrupted.aborted) abort();
  try {
    const headers = { ...init.headers, 'User-Agent': `Tradepost/${version} (webhooks listen)` };
    const { signal } = stop;
    const { status, body } = await send(url, { ...init, headers, redirect: 'manual', signal });
    const isAccepted = status >= 200 && status < 300;
    if (isAccepted) await body.cancel();
    return { status, error: null, responseSnippet: isAccepted ? '' : await readSnippet(body) };
  } catch (error) {
    return { status: null, error: getErrorName(error), responseSnippet: '' };
  } finally {
    clearTimeout(timer);
    interrupted.removeEventListener('abort', abort);
  }
}

async function readSnippet(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  try {
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.length >= maxSnippetLength) break;
    }
  } catch {
    // The status counts, whatever happens to the body.
  }
  return text.slice(0, maxSnippetLength);
}

/** The attempt errors of the service, by the codes of Node. */
const errorNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ECONNREFUSED: 'connection_refused',
    ECONNRESET: 'connection_reset',
    EPIPE: 'connection_reset',
    ETIMEDOUT: 'connect_timeout',
    EHOSTUNREACH: 'unreachable',
    ENETUNREACH: 'unreachable',
    ENOTFOUND: 'dns_failed',
    EAI_AGAIN: 'dns_failed',
  }),
);

/** Converts an error of a request to an attempt error of the service. */
function getErrorName(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  if (cause.name === 'TimeoutError') return 'timeout';
  const code = 'code' in cause ? String(cause.code) : '';
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return `tls_failed (${code})`;
  return errorNames.get(code) ?? (cause.message || code);
}
