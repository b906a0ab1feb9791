import { eventTypes, type VerifiedDelivery } from '@tradepost/sdk/webhooks';
import { formatCount } from '../../../output/text';

export interface CheckInput {
  /** The file of the body, or `stdin`. */
  bodyName: string;
  bodyLength: number;
  /** The files of the secrets, at least one. */
  secretFiles: readonly string[];
  /** Whether the headers of Standard Webhooks were checked. */
  isStandard: boolean;
  /** The maximum age, in seconds. */
  tolerance: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** Says what was checked: `172 bytes from stdin with the secret in webhook.secret`. */
export function describeInput({ bodyName, bodyLength, secretFiles }: CheckInput): string {
  const secrets = secretFiles.length === 1 ? 'the secret' : 'the secrets';
  return `${formatCount(bodyLength, 'byte')} from ${bodyName} with ${secrets} in ${secretFiles.join(', ')}`;
}

/** Says what the verification of a valid delivery checked, and what it did not, a sentence a line. */
export function describeChecks(
  { event, id, sentAt, secretIndex }: VerifiedDelivery,
  input: CheckInput,
): string[] {
  const { isStandard, secretFiles, tolerance, now } = input;
  const type = eventTypes.some((known) => known === event.event)
    ? event.event
    : `${event.event} (unknown to this version)`;
  const others = !isStandard
    ? ''
    : secretFiles.length === 1
      ? '; so does webhook-signature'
      : '; webhook-signature matches one of them';
  return [
    `Valid: verified ${describeInput(input)}.`,
    `Service-Signature matches the secret in ${secretFiles[secretIndex]}${others}.`,
    `Event: ${type}${id === null ? '' : `, ${id}`}, created at ${event.createdAt}.`,
    ...(sentAt === null
      ? []
      : [
          `Signed at ${sentAt.toISOString()}, ${describeAge(now - sentAt.getTime())}; tolerance ${tolerance} s.`,
        ]),
    isStandard
      ? 'Not checked: whether you received it before. Compare webhook-id with those you have.'
      : 'Not checked: when it was signed, and its ID. That needs the headers webhook-id, webhook-timestamp and webhook-signature.',
  ];
}

function describeAge(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 0 ? `${-seconds} s in the future` : `${seconds} s ago`;
}
