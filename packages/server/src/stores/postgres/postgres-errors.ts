import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import pg from 'pg';
import { describeDatabase } from '../database-url';

/** Thrown for a connection that must not be used for changes, because of the server that it leads to. */
export class RejectedServerError extends Error {
  override name = 'RejectedServerError' as const;

  constructor(
    message: string,
    /** What the operator can do. */
    readonly advice: string,
  ) {
    super(message);
  }
}

/** Returns the SQLSTATE of an error of PostgreSQL, or the code of an error of Node; empty if there is none. */
export function getCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Serialization failure and deadlock: nothing was changed, and a repetition probably succeeds. Source: PostgreSQL, "Error codes". */
const retryableCodes = /^(40001|40P01|CR000)$/;

/**
 * SQLSTATEs that do not mean that the statement is wrong: connection exceptions, insufficient resources, operator intervention,
 * errors of the operating system, a lock timeout, a server that has become a standby, and one without transaction IDs.
 */
const unavailableCodes = /^(08|53|54000|57|58|40|55P03|25006|25P03|XX)/;
/** Of these, the ones after which a connection is of no more use. */
const unusableCodes = /^(08|57P|25006|25P03)/;
/** Codes of Node's network errors. */
const networkCodes = /^(E[A-Z]+|ERR_SSL|ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)/;
/** The messages of the driver's own errors, which have no code. */
const driverMessages =
  /^(Connection terminated|Received unexpected|Client has encountered|Client was closed|timeout e|timeout expired|Query read timeout|The server does not support SSL)/;

function isOfDriver(error: unknown): boolean {
  return error instanceof Error && driverMessages.test(error.message);
}

/** Returns whether a transaction conflicted with another one, so that nothing was changed and a repetition may succeed. */
export function isRetryable(error: unknown): boolean {
  return retryableCodes.test(getCode(error));
}

/** Returns whether another transaction has just committed a row with the same idempotency key. */
export function isKeyTaken(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.constraint === 'idempotency_keys_pkey';
}

/** Returns whether a statement waited too long for a lock of another session. */
export function isLockTimeout(error: unknown): boolean {
  return getCode(error) === '55P03';
}

/** Returns whether a transaction was rolled back because others waited for it while it waited for them. */
export function isDeadlock(error: unknown): boolean {
  return getCode(error) === '40P01';
}

/** Returns whether a connection broke, or leads to a server that cannot be written to. */
export function isUnusable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return unusableCodes.test(getCode(error));
  return (
    error instanceof RejectedServerError || networkCodes.test(getCode(error)) || isOfDriver(error)
  );
}

/** Returns whether a change or a read found no connection, because all were in use. That says nothing about the host. */
export function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

/** Returns whether an error says that the database is unavailable, not that a statement is wrong. */
export function isUnavailable(error: unknown): error is Error {
  if (error instanceof pg.DatabaseError) return unavailableCodes.test(getCode(error));
  return isUnusable(error);
}

/** Adds the code of an error to its message, unless it is there. */
function describe(error: Error): string {
  const code = getCode(error);
  const message = error.message === '' ? code : error.message;
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}

/** Converts errors of the connection and the server to `StoreUnavailableError`. Returns other errors unchanged. */
export function translateError(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  return new StoreUnavailableError(`PostgreSQL: ${describe(error)}`, { cause: error });
}

/** Codes of a database that cannot be opened, or messages of errors without a code, and what to do. The first match counts. */
const advice: [reasons: RegExp, advice: string][] = [
  [/^(28P01|28000)/, 'Check the user and the password, and pg_hba.conf.'],
  [/^3D000/, 'Create the database first, or check its name.'],
  [/^(42501|3F000)/, 'The user needs the privileges to use and create tables in its schema.'],
  [/^(42704|22023)/, 'Check `options` in the URL.'],
  [/^53300/, 'Raise max_connections, use a pooler, or lower --database-connections.'],
  [
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/,
    'Check the host and the port, and whether PostgreSQL runs.',
  ],
  [
    /^(ERR_SSL|ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_|The server does not support SSL)/,
    'sslmode says what is verified; for other machines it is verify-full by default. Add sslrootcert=… with the authority of the certificate, use the name in it, or sslmode=disable on a network that you trust.',
  ],
  [/^(57P03|25006)/, 'It is starting, stopping or a standby. Try again.'],
];

/** Like `translateError`, for a database that could not be opened. The message names it and what to do. */
export function translateOpeningError(url: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const reason = getCode(error) || error.message;
  const [, known] = advice.find(([reasons]) => reasons.test(reason)) ?? [];
  if (known === undefined && !isUnavailable(error)) return error;
  const hint =
    (error instanceof RejectedServerError ? error.advice : known) ??
    'Check the URL, and whether PostgreSQL runs.';
  return new StoreUnavailableError(
    `Cannot open the database ${describeDatabase(url)}: ${describe(error).replace(/\.$/, '')}. ${hint}`,
    { cause: error },
  );
}
