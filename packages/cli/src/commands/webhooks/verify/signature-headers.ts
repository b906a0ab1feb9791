import { CliError, InvalidArgument } from '../../../errors/cli-error';

/** The headers of Standard Webhooks. They are of use together only: one signature covers all three. */
const standardHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

const serviceSignature = 'service-signature';
const signatureHeaders: readonly string[] = [serviceSignature, ...standardHeaders];

/** Headers by name in lower case. */
export type Headers = Readonly<Record<string, string>>;

/**
 * Parses a header line and adds it. Repeated headers are joined as in HTTP.
 *
 * @throws {InvalidArgument} for a line without a name, and for a second signature, ID or timestamp
 */
export function addHeader(line: string, before: Headers = {}): Headers {
  const [, name, value = ''] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*?)[ \t\r\n]*$/s.exec(line) ?? [];
  if (name === undefined) throw new InvalidArgument("Use 'name: value'.");
  const key = name.toLowerCase();
  const known = Object.hasOwn(before, key) ? before[key] : undefined;
  if (known !== undefined && signatureHeaders.includes(key)) {
    throw new InvalidArgument(`The header ${name} is there twice.`);
  }
  return { ...before, [key]: known === undefined ? value : `${known}, ${value}` };
}

interface SignatureOptions {
  signature?: string;
  header?: Headers;
  tolerance?: number;
}

/**
 * Checks that the signature is complete, in a known format and given once. Whether it matches is another
 * question.
 *
 * @returns the headers, and whether those of Standard Webhooks are there
 * @throws {CliError} `usage`
 */
export function readSignature({ signature, header = {}, tolerance }: SignatureOptions): {
  headers: Headers;
  isStandard: boolean;
} {
  const given = standardHeaders.filter((name) => header[name]);
  const isStandard = given.length > 0;
  checkServiceSignature(signature, header[serviceSignature]);
  if (isStandard) checkStandardHeaders(header, given);
  if (tolerance !== undefined && !isStandard) {
    throw new CliError(
      'usage',
      '--tolerance needs the header webhook-timestamp: Service-Signature has no time',
      passAllHeaders,
    );
  }
  return {
    headers: signature === undefined ? header : { ...header, [serviceSignature]: signature },
    isStandard,
  };
}

function checkServiceSignature(option: string | undefined, header: string | undefined): void {
  if (option !== undefined && header !== undefined) {
    throw new CliError(
      'usage',
      '--signature and the header Service-Signature conflict',
      'Omit one of them.',
    );
  }
  const value = option ?? header;
  if (value === undefined) {
    throw new CliError(
      'usage',
      'Missing signature',
      "Pass --signature, or --header 'Service-Signature: …'.",
    );
  }
  if (!/^[0-9a-f]{64}$/.test(value)) {
    throw formatError(
      'Service-Signature',
      'It has 64 lowercase hex digits and nothing else, such as a prefix.',
    );
  }
}

const passAllHeaders =
  'Pass the headers webhook-id, webhook-timestamp and webhook-signature as received.';

function checkStandardHeaders(headers: Headers, given: readonly string[]): void {
  const missing = standardHeaders.filter((name) => !given.includes(name));
  if (missing.length > 0) {
    throw new CliError(
      'usage',
      `Incomplete headers: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      passAllHeaders,
      'Without all three, only Service-Signature can be verified.',
    );
  }
  if (!/^\d{1,12}$/.test(headers['webhook-timestamp'] ?? '')) {
    throw formatError('webhook-timestamp', 'It has seconds since 1970.');
  }
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  if (!signatures.some((one) => /^v1,[\w+/]{43}=$/.test(one))) {
    throw formatError('webhook-signature', 'It has v1, a comma and the base64 of 32 bytes.');
  }
}

function formatError(name: string, format: string): CliError {
  return new CliError(
    'usage',
    `The header ${name} has an unknown format`,
    `${format} Pass the value as received.`,
  );
}
