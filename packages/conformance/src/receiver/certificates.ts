import { webcrypto } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

/** A certificate with its private key, both in PEM. */
interface Certificate {
  key: string;
  cert: string;
}

/** Where the key of an authority is: beside its certificate. */
export const keyFileOf = (caFile: string): string => caFile.replace(/(\.pem)?$/, '.key.pem');

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const authorityName = 'CN=Tradepost conformance kit';

/** The authority outlives the machines that it is for; a certificate of a receiver, the longest run. */
const authorityYears = 10;
const receiverDays = 30;

/**
 * Reads the certificate authority of the kit. Creates it if there is none: a service that trusts its certificate can deliver to the
 * receiver of every later run.
 *
 * @throws a file cannot be read or written, or only one of the two exists
 */
export async function openAuthority(caFile: string): Promise<Certificate> {
  const [cert, key] = [readIfExists(caFile), readIfExists(keyFileOf(caFile))];
  if (cert !== null && key !== null) return { key, cert };
  if (cert !== null || key !== null) {
    const missing = cert === null ? caFile : keyFileOf(caFile);
    throw new Error(`There is no ${missing}. Restore it, or remove its counterpart as well.`);
  }
  const keys = await createKeys();
  const created = await x509.X509CertificateGenerator.createSelfSigned({
    name: authorityName,
    keys,
    signingAlgorithm: algorithm,
    ...validity(365 * authorityYears),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const pem = { key: await exportKey(keys), cert: created.toString('pem') };
  writeFileSync(keyFileOf(caFile), pem.key, { mode: 0o600, flag: 'wx' });
  writeFileSync(caFile, pem.cert, { flag: 'wx' });
  return pem;
}

/**
 * Creates a certificate for the receiver, signed by the authority of the kit.
 *
 * @param host a name or an IP address
 */
export async function certifyHost(host: string, caFile: string): Promise<Certificate> {
  const authority = await openAuthority(caFile);
  const keys = await createKeys();
  const created = await x509.X509CertificateGenerator.create({
    subject: `CN=${host}`,
    issuer: authorityName,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey(
      'pkcs8',
      x509.PemConverter.decodeFirst(authority.key),
      algorithm,
      false,
      ['sign'],
    ),
    signingAlgorithm: algorithm,
    ...validity(receiverDays),
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: isIP(host) > 0 ? 'ip' : 'dns', value: host },
      ]),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(new x509.X509Certificate(authority.cert)),
    ],
  });
  return { key: await exportKey(keys), cert: created.toString('pem') };
}

const createKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

async function exportKey({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(
    await webcrypto.subtle.exportKey('pkcs8', privateKey),
    'PRIVATE KEY',
  );
}

/** From an hour ago, since the clock of the service may be behind. */
function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + days * 86_400_000) };
}

function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
