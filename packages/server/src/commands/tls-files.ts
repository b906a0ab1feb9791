import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Clock } from '@tradepost/domain/kernel/context';
import type { Logger } from 'pino';
import { type TlsCredentials, toSecureContextOptions } from '../runtime/https-server';
import { OperatorError, UsageError } from './operator-error';
import { readOptionFile } from './options';

/** The options with the files of a certificate and its key, both in PEM. */
export interface TlsOptions {
  tlsCert?: string;
  tlsKey?: string;
}

/** How often the files are read, in milliseconds. Reading finds renewed files however they were replaced, also by links. */
const readIntervalMs = 60_000;
/** How long before its end a certificate is reported, in milliseconds: certificates are renewed earlier than this. */
const expiryNoticeMs = 7 * 86_400_000;

function parseCertificate(cert: string, file: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch {
    throw new OperatorError(
      `--tls-cert ${file} is not a certificate in PEM, or is not complete. It must start with -----BEGIN CERTIFICATE----- and end with -----END CERTIFICATE-----.`,
    );
  }
}

function parseKey(key: string, file: string): KeyObject {
  try {
    return createPrivateKey(key);
  } catch {
    if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(key)) {
      throw new OperatorError(
        `--tls-key ${file} is encrypted with a passphrase. Decrypt it, for example with openssl pkey, and make the file readable only by the user of the server.`,
      );
    }
    throw new OperatorError(
      `--tls-key ${file} is not a private key in PEM, or is not complete. It must start with -----BEGIN PRIVATE KEY----- or similar, and end with -----END PRIVATE KEY----- or similar.`,
    );
  }
}

/** A certificate, its key, and the time at which it expires. */
export interface LoadedTls extends TlsCredentials {
  /** Milliseconds since 1970. */
  validFrom: number;
  /** Milliseconds since 1970. */
  validTo: number;
}

/**
 * Reads the files of a certificate and its key, and checks that they belong together.
 *
 * @returns null if neither is configured.
 * @throws UsageError if only one is.
 * @throws OperatorError if one cannot be read or used. The message has nothing of the key.
 */
export function readTlsFiles({ tlsCert, tlsKey }: TlsOptions): LoadedTls | null {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined) {
    const [set, missing] =
      tlsCert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
    throw new UsageError(
      `${set} is set, but ${missing} is not. HTTPS needs both: pass ${missing} too, or neither to serve plain HTTP.`,
    );
  }
  const cert = readOptionFile('--tls-cert', tlsCert);
  const key = readOptionFile('--tls-key', tlsKey);
  const certificate = parseCertificate(cert, tlsCert);
  if (!certificate.checkPrivateKey(parseKey(key, tlsKey))) {
    throw new OperatorError(
      `--tls-key ${tlsKey} is not the key of the first certificate in --tls-cert ${tlsCert}. The certificate of the server must come first, those of its authorities after it.`,
    );
  }
  try {
    createSecureContext(toSecureContextOptions({ cert, key }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The certificate in --tls-cert ${tlsCert} cannot be used: ${reason}.`);
  }
  return {
    cert,
    key,
    validFrom: Date.parse(certificate.validFrom),
    validTo: Date.parse(certificate.validTo),
  };
}

/** Logs a warning if a certificate has expired, expires soon or is not valid yet. Clients reject such a certificate. */
export function warnOfDates({ validFrom, validTo }: LoadedTls, now: number, log: Logger): void {
  const dates = {
    validFrom: new Date(validFrom).toISOString(),
    validTo: new Date(validTo).toISOString(),
  };
  if (now > validTo) log.warn(dates, 'the TLS certificate has expired: clients reject it');
  else if (now < validFrom) log.warn(dates, 'the TLS certificate is not valid yet');
  else if (validTo - now < expiryNoticeMs) log.warn(dates, 'the TLS certificate expires soon');
}

/** What following the files needs. */
export interface FollowTlsOptions {
  files: TlsOptions;
  /** What the server uses now. */
  current: LoadedTls;
  clock: Clock;
  log: Logger;
  /** Called with a renewed certificate. */
  onRenewed: (tls: LoadedTls) => void;
}

/** Follows the files of a certificate and its key, so that the server uses a renewed certificate without a restart. */
export class TlsFollower {
  readonly #options: FollowTlsOptions;
  #current: LoadedTls;
  #lastError: string | null = null;
  #cancel = () => {};

  constructor(options: FollowTlsOptions) {
    this.#options = options;
    this.#current = options.current;
    this.#scheduleRead();
  }

  /** What the server uses now. */
  get current(): LoadedTls {
    return this.#current;
  }

  /** Reads the files now. If they cannot be used, the server keeps what it has, and tries again a minute later. */
  reload(): void {
    const { files, clock, log, onRenewed } = this.#options;
    try {
      const read = readTlsFiles(files);
      this.#lastError = null;
      if (read === null) return;
      const isRenewed = read.cert !== this.#current.cert || read.key !== this.#current.key;
      if (!isRenewed) return;
      onRenewed(read);
      this.#current = read;
      log.info({ validTo: new Date(read.validTo).toISOString() }, 'TLS certificate reloaded');
      warnOfDates(read, clock.now(), log);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // Each reason once. Two files that are replaced one after the other do not match in between.
      if (reason === this.#lastError) return;
      this.#lastError = reason;
      log.error({ reason }, 'the TLS certificate could not be reloaded; the previous one is used');
    }
  }

  /** Stops following the files. */
  stop(): void {
    this.#cancel();
  }

  #scheduleRead(): void {
    this.#cancel = this.#options.clock.schedule(readIntervalMs, () => {
      this.reload();
      this.#scheduleRead();
    });
  }
}
