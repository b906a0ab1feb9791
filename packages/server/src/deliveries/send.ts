import { Agent } from 'undici';
import type { Clock } from '../clock';
import { version } from '../version';
import type { WebhookPolicy } from '../webhooks/webhook-policy';
import { type Attempt, attemptTimeout, type ClaimedDelivery } from './delivery';
import { guardedConnector } from './guard-address';
import { readRetryAfter } from './retry-after';
import { signatureHeaders } from './sign';

const readAtMost = 16_384;
const keepAtMost = 1_000;
const connectTimeout = 5_000;

/** Makes attempts. One attempt never outlives 15 s, never follows a redirect, reads 16 kB at most. */
export interface Sender {
  /** Posts a delivery's bytes, signed, and tells how it went; it never throws for the receiver's sake. */
  send(delivery: ClaimedDelivery): Promise<Attempt>;
  /** Ends all connections, and with them the attempts that are under way. */
  close(): Promise<void>;
}

const errorNames: Record<string, string> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_DESTROYED: 'stopped',
  FORBIDDEN_ADDRESS: 'forbidden_address',
};

/** Names what kept an attempt from its answer, in words that an operator can look up. */
export function nameError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'timeout';
  if (error.name === 'HTTPParserError') return 'malformed_answer';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = errorNames[code];
  if (known !== undefined) return known;
  if (/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(code)) {
    return `tls_failed (${code})`;
  }
  return code === '' ? error.name : code.toLowerCase();
}

/** Reads the beginning of an answer, and what broke it off if something did. */
async function readExcerpt(
  body: AsyncIterable<Uint8Array>,
): Promise<{ excerpt: string; error: string | null }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let error: string | null = null;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop destroys the rest of the body.
      if (length >= readAtMost) break;
    }
  } catch (cause) {
    error = nameError(cause);
  }
  const text = Buffer.concat(chunks).subarray(0, keepAtMost).toString('utf8');
  // Not every store keeps NUL in a text.
  return { excerpt: text.replaceAll('\0', '\uFFFD'), error };
}

/**
 * A sender with connections of its own, which it keeps open between attempts.
 *
 * @param timeout Milliseconds that one attempt may take in all; 15 s unless told.
 */
export function createSender(
  policy: WebhookPolicy,
  clock: Clock,
  timeout: number = attemptTimeout,
): Sender {
  const agent = new Agent({
    connect: guardedConnector(policy, connectTimeout),
    // The whole-attempt deadline below covers headers and body together.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });

  return {
    async send(delivery) {
      const startedAt = clock.now();
      const started = performance.now();
      const duration = () => Math.round(performance.now() - started);
      const { origin, pathname, search } = new URL(delivery.url);
      try {
        const { statusCode, headers, body } = await agent.request({
          origin,
          path: pathname + search,
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'User-Agent': `Tradepost/${version}`,
            ...signatureHeaders(delivery, startedAt),
          },
          body: delivery.body,
          signal: AbortSignal.timeout(timeout),
        });
        const { excerpt, error } = await readExcerpt(body);
        const asked = statusCode === 429 || statusCode === 503 ? headers['retry-after'] : undefined;
        const retryAfter = readRetryAfter(Array.isArray(asked) ? asked[0] : asked, clock.now());
        const answered = { status: statusCode, error, excerpt, retryAfter };
        return { startedAt, duration: duration(), ...answered };
      } catch (error) {
        const silent = { status: null, error: nameError(error), excerpt: '', retryAfter: null };
        return { startedAt, duration: duration(), ...silent };
      }
    },
    close: () => agent.destroy(),
  };
}
