import type { Delivery, DeliveryAttempt } from '@tradepost/sdk';
import { harmless } from '../output/harmless';
import type { Style } from '../output/style';
import type { Diagnosis } from './explain-delivery';

/** What there is to say about a delivery. */
export interface Explanation extends Diagnosis {
  /** The delivery itself. */
  delivery: Delivery;
  /** The attempts that were made, oldest first. */
  attempts: readonly DeliveryAttempt[];
  /** What was signed. */
  signed: {
    /** The body, as each attempt sends it. */
    body: string;
    /** How many bytes it has, as UTF-8. */
    bytes: number;
    /** The headers of the last attempt, or of the present moment with `--secret-file`; null without either. */
    headers: Readonly<Record<string, string>> | null;
  };
  /** What sends it again by hand; null when there was no attempt, and no secret to sign one with. */
  curl: string | null;
}

/** The attempts that are shown; the others are counted. */
const shownAttempts = 5;

/**
 * An explanation for people. What the service says is made harmless; the line for curl is so by itself,
 * and stays what a shell can run.
 */
export function explanationText(
  { delivery, verdict, reason, advice, attempts, signed, curl }: Explanation,
  style: Style,
): string {
  const { id, event, webhookId } = delivery;
  const title = (text: string) => ['', style('bold', text)];
  const numbered = (lines: readonly string[]) =>
    lines.map((line, index) => `${index + 1}. ${line}`);
  const earlier = attempts.length - shownAttempts;
  const lines = [
    `${harmless(`${id}  ${event} to ${webhookId}`)}: ${style(lookOf(verdict), verdict.replace('_', ' '))}`,
    harmless(reason),
    ...(advice.length > 0 ? title('WHAT TO DO') : []),
    ...numbered(advice).map(harmless),
    ...(attempts.length > 0 ? title('ATTEMPTS') : []),
    ...(earlier > 0 ? [`(${earlier} more before these)`] : []),
    ...attempts.slice(-shownAttempts).flatMap(attemptLines),
    ...title('SIGNED BYTES'),
    `${signed.bytes} bytes, and no others: Service-Signature is the hex HMAC-SHA256 of them, keyed with the whole secret,`,
    'whsec_ included; webhook-signature is that of `webhook-id.webhook-timestamp.` and them, keyed with the bytes that',
    'the base64 after whsec_ stands for.',
    harmless(signed.body),
    ...Object.entries(signed.headers ?? {}).map(([name, value]) => harmless(`${name}: ${value}`)),
    ...(curl === null ? [] : [...title('SEND IT BY HAND'), curl]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function lookOf(verdict: Diagnosis['verdict']) {
  if (verdict === 'delivered') return 'green';
  return verdict === 'failed' ? 'red' : 'yellow';
}

function attemptLines({
  number,
  startedAt,
  duration,
  url,
  status,
  error,
  excerpt,
}: DeliveryAttempt) {
  const came = [status, error].filter((part) => part !== null).join(' ');
  const first = `${number}. ${startedAt}  ${came}  ${duration} ms  ${url}`;
  return [first, ...(excerpt === '' ? [] : [`   ${excerpt}`])].map(harmless);
}
