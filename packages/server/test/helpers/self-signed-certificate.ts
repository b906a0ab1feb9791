import { generateKeyPairSync, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** Writes one element of ASN.1 in DER: its tag, its length, its content. */
function element(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const size = Buffer.from(body.length.toString(16).padStart(4, '0'), 'hex');
  const length = body.length < 128 ? Buffer.from([body.length]) : Buffer.from([0x82, ...size]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...parts: Buffer[]) => element(0x30, ...parts);
const set = (...parts: Buffer[]) => element(0x31, ...parts);
const integer = (...bytes: number[]) => element(0x02, Buffer.from(bytes));
const text = (value: string) => element(0x0c, Buffer.from(value));
const identifier = (hex: string) => element(0x06, Buffer.from(hex, 'hex'));
const bits = (content: Buffer) => element(0x03, Buffer.from([0]), content);
const date = (value: string) => element(0x18, Buffer.from(value));

const commonName = identifier('550403');
const subjectAltName = identifier('551d11');
const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));

/** A certificate with its key, both as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Creates a self-signed certificate; by default for 127.0.0.1 and without an expiry. */
export function selfSignedCertificate({ host = '127.0.0.1', expired = false } = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(commonName, text('receiver of a test'))));
  const subject = isIPv4(host)
    ? element(0x87, Buffer.from(host.split('.').map(Number)))
    : element(0x82, Buffer.from(host));
  const extensions = sequence(sequence(subjectAltName, element(0x04, sequence(subject))));
  const end = expired ? '20200102000000Z' : '99991231235959Z';
  // Source: RFC 5280, section 4.1.
  const toBeSigned = sequence(
    element(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(date('20200101000000Z'), date(end)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, extensions),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const der = sequence(toBeSigned, ecdsaWithSha256, bits(signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
