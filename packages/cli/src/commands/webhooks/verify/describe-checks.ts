import {
  allEventTypes,
  type VerifiedDelivery,
  WebhookVerificationError,
} from '@tradepost/sdk/webhooks';
import { findEncoding } from '../../../files/decode-text';
import { formatCount } from '../../../output/text';

export interface CheckInput {
  /** The file of the body, or `stdin`. */
  bodyName: string;
  bodyLength: number;
  /** The files of the secrets, at least one. */
  secretFiles: readonly string[];
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
  { event, id, sentAt, secretIndex, test, sequence, orderVersion }: VerifiedDelivery,
  input: CheckInput,
): string[] {
  const { secretFiles, tolerance, now } = input;
  // Without the headers of Standard Webhooks there is no signed ID.
  const isStandard = id !== null;
  const type = allEventTypes.some((known) => known === event.event)
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
    `Event: ${type}${isStandard ? `, ${id}` : ''}, created at ${event.createdAt}.`,
    ...(test ? ['It is a test event: its data is made up.'] : []),
    ...(sequence === null
      ? []
      : [
          `Tradepost-Position is signed: sequence ${sequence}${orderVersion === null ? '' : `, order version ${orderVersion}`}.`,
        ]),
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

/** An option in a message of the SDK, and what a user of this command passes instead. */
const currentSecretToo = ['too, in secrets.', 'too, with a second --secret-file.'] as const;

/**
 * Says why a delivery is not valid, and what to do.
 *
 * @param verify verifies another body with the same headers and secrets
 */
export function describeFailure(
  { code, message }: WebhookVerificationError,
  bodyName: string,
  body: Buffer,
  verify: (body: Buffer) => unknown,
): { message: string; hints: string[] } {
  const isOfBody = code === 'BODY_RESERIALIZED' || code === 'SIGNATURE_MISMATCH';
  const name = bodyName === 'stdin' ? 'Stdin' : bodyName;
  const encoding = findEncoding(body);
  if (isOfBody && encoding !== 'UTF-8') {
    return {
      message: `The body is not as received: ${code}. ${name} is ${encoding}, as PowerShell saves text`,
      hints: ['Save the bytes as they were received.'],
    };
  }
  if (isOfBody && hasExtraNewline(body, verify)) {
    return {
      message: `The body is not as received: ${code}. ${name} has one extra newline at its end, as echo and editors add it. The signature matches without it`,
      hints: [
        bodyName === 'stdin'
          ? 'Pass the body without it: `printf %s "$BODY"` adds none.'
          : 'Save the body without it.',
      ],
    };
  }
  const text = message.replace(...currentSecretToo);
  const hint = hints[code];
  return { message: `Do not trust this delivery: ${code}. ${text}`, hints: hint ? [hint] : [] };
}

const hints: Partial<Record<WebhookVerificationError['code'], string>> = {
  WRONG_SECRET:
    'If the secret was rotated, pass the files of the old and the new one: --secret-file may be repeated.',
  TIMESTAMP_TOO_OLD:
    'If you took the delivery from a log, pass its age in seconds with --tolerance.',
};

/** Whether the signature matches the body without the newline at its end. */
function hasExtraNewline(body: Buffer, verify: (body: Buffer) => unknown): boolean {
  const [newline] = /\r?\n$/.exec(body.subarray(-2).toString('latin1')) ?? [];
  if (newline === undefined) return false;
  try {
    verify(body.subarray(0, -newline.length));
    return true;
  } catch (error) {
    // The signature is checked first. The delivery may be too old, for example.
    return error instanceof WebhookVerificationError && error.code !== 'SIGNATURE_MISMATCH';
  }
}
