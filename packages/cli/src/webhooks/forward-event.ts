import type { AccountEvent } from '@tradepost/sdk';
import { version } from '../../package.json';
import { signedBy } from './signed-by';

/** How long a receiver may take to answer, in milliseconds: as long as with real deliveries. */
const patience = 15_000;

/** More of what a receiver says to a refusal is not read, in characters. */
const longestExcerpt = 500;

/** Where an event is forwarded to, and how it is signed. */
export interface Forwarding {
  /** The receiver. */
  url: string;
  /** What it is signed with. */
  secret: string;
  /** When it is sent, in milliseconds since 1970. */
  now: number;
  /** Ends it before its time. */
  signal: AbortSignal;
}

/** What came of forwarding. */
export interface Forwarded {
  /** The status that the receiver answered with; null when it did not answer. */
  status: number | null;
  /** Why it did not, in the words of a delivery's `lastError`; null when it did. */
  error: string | null;
  /** The beginning of what it said beside a refusal. */
  excerpt: string;
}

/**
 * Posts an event to a receiver as the service delivers it: the same bytes, the same headers. It is the
 * one request that does not go through the client: no API key is ever near it.
 *
 * @throws {CliError} `usage` for a secret that cannot sign. A receiver that fails is no exception.
 */
export async function forwardEvent(
  event: AccountEvent,
  { url, secret, now, signal: interrupted }: Forwarding,
): Promise<Forwarded> {
  const { id, ...envelope } = event;
  const { init } = await signedBy({ event: envelope, id, secret, sentAt: now });
  // Not `AbortSignal.any` of a timeout: nothing would keep that one alive until it is over.
  const ending = new AbortController();
  const end = () => ending.abort(interrupted.reason);
  const timer = setTimeout(() => ending.abort(new DOMException('', 'TimeoutError')), patience);
  interrupted.addEventListener('abort', end);
  if (interrupted.aborted) end();
  try {
    const headers = { ...init.headers, 'User-Agent': `Tradepost/${version} (webhooks listen)` };
    const { signal } = ending;
    const answer = await fetch(url, { ...init, headers, redirect: 'manual', signal });
    if (answer.ok) {
      await answer.body?.cancel();
      return { status: answer.status, error: null, excerpt: '' };
    }
    return { status: answer.status, error: null, excerpt: await beginningOf(answer) };
  } catch (error) {
    return { status: null, error: nameOf(error), excerpt: '' };
  } finally {
    clearTimeout(timer);
    interrupted.removeEventListener('abort', end);
  }
}

/** The status counts, whatever becomes of the text after it. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = '';
  try {
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (text.length >= longestExcerpt) break;
    }
  } catch {
    // What has come is enough.
  }
  return text.slice(0, longestExcerpt);
}

const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ECONNREFUSED: 'connection_refused',
    ECONNRESET: 'connection_reset',
    EPIPE: 'connection_reset',
    UND_ERR_SOCKET: 'connection_reset',
    ETIMEDOUT: 'connect_timeout',
    UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
    EHOSTUNREACH: 'unreachable',
    ENETUNREACH: 'unreachable',
    ENOTFOUND: 'dns_failed',
    EAI_AGAIN: 'dns_failed',
  }),
);

/** What `fetch` throws, in the words that the service has for it. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'timeout';
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause ? String(cause.code) : '';
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return `tls_failed (${code})`;
  return names.get(code) ?? (cause.message || code);
}
