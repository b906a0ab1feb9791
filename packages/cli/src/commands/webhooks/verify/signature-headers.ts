import { CliError, InvalidArgument } from '../../../errors/cli-error';

const serviceSignature = 'service-signature';
const signatureHeaders = [serviceSignature, 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

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
 * Returns the headers with the signature, which is there once. The SDK checks whether it is complete, and matches.
 *
 * @throws {CliError} `usage`
 */
export function readSignature({ signature, header = {}, tolerance }: SignatureOptions): Headers {
  const value = signature ?? header[serviceSignature];
  if (signature !== undefined && header[serviceSignature] !== undefined) {
    throw new CliError(
      'usage',
      '--signature and the header Service-Signature conflict',
      'Omit one of them.',
    );
  }
  if (value === undefined) {
    throw new CliError(
      'usage',
      'Missing signature',
      "Pass --signature, or --header 'Service-Signature: …'.",
    );
  }
  if (tolerance !== undefined && !header['webhook-timestamp']) {
    throw new CliError(
      'usage',
      '--tolerance needs the header webhook-timestamp: Service-Signature has no time',
      'Pass the headers webhook-id, webhook-timestamp and webhook-signature as received.',
    );
  }
  return { ...header, [serviceSignature]: value };
}
