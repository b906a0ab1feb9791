import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { isLoopback } from '../../kernel/loopback';

/** One of the hosts in the URL of a database. What is undefined is left to the variables of libpq, such as `PGHOST`. */
export interface DatabaseHost {
  /** A name, an address, or the folder of a Unix socket. */
  host: string | undefined;
  port: number | undefined;
}

/** Returns a host as it may be shown, such as `db.example:5432`. */
export function describeHost({ host = '', port }: Partial<DatabaseHost>): string {
  const address = host.includes(':') ? `[${host}]` : encodeURIComponent(host);
  return port === undefined ? address : `${address}:${port}`;
}

/** The TLS files in the URL of a database, and what is verified. */
export interface DatabaseTls {
  mode: 'require' | 'verify-ca' | 'verify-full';
  /** A file with certificates of authorities; undefined for those of Node. */
  sslrootcert: string | undefined;
  sslcert: string | undefined;
  sslkey: string | undefined;
  /** Whether TLS starts with the connection, without a request for it. */
  isDirect: boolean;
  /** Whether nothing asks for it, nor for none: then it is for connections to other machines. */
  isDefault: boolean;
}

/** What the URL of a PostgreSQL database says. */
export interface DatabaseUrl {
  hosts: DatabaseHost[];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  /** Settings of the session, such as `-c search_path=tradepost`. */
  options: string | undefined;
  applicationName: string | undefined;
  /** Null for connections without TLS. */
  tls: DatabaseTls | null;
}

/** `//user:password@host:port,host:port/database?name=value`, each part optional. */
const urlPattern =
  /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#\s]*)(?:\/([^@?#]*))?(?:\?([^#]*))?$/;
const hostPattern = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{0,5}))?$/;

const parameters = [
  'user',
  'password',
  'host',
  'port',
  'dbname',
  'options',
  'application_name',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'target_session_attrs',
];

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError(
      'It has a % that is not followed by two hexadecimal digits of UTF-8. Write a percent sign as %25.',
    );
  }
}

/** Reads the parameters. A misspelled one must not be ignored: it may be one of TLS. */
function parseParameters(query: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [name = ''] = pair.split('=', 1);
    if (!parameters.includes(name)) {
      throw new RangeError(
        `It has a parameter that is not supported. Those that are: ${parameters.join(', ')}.`,
      );
    }
    values.set(name, decode(pair.slice(name.length + 1)));
  }
  return values;
}

function parsePort(text: string): number | undefined {
  if (text === '') return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new RangeError('A port must be an integer from 1 to 65535.');
  }
  return port;
}

/** Parses the hosts between `@` and `/`. */
function parseHosts(text: string): DatabaseHost[] {
  return text.split(',').map((part) => {
    const [, host = '', port = ''] = hostPattern.exec(part) ?? [];
    if (part !== '' && host === '' && port === '') {
      throw new RangeError('A host must be a name or an address, with a port after a colon.');
    }
    return { host: decode(host).replace(/^\[|\]$/g, '') || undefined, port: parsePort(port) };
  });
}

/** The hosts of the parameters `host` and `port`, which take the place of those before the path. Source: libpq, "Connection URIs". */
function readHosts(authority: string, values: Map<string, string>): DatabaseHost[] {
  const hosts = parseHosts(authority);
  const names = values.get('host')?.split(',') ?? hosts.map(({ host }) => host ?? '');
  const ports = values.get('port')?.split(',').map(parsePort) ?? hosts.map(({ port }) => port);
  if (ports.length !== 1 && ports.length !== names.length) {
    throw new RangeError('It must have one port, or as many ports as hosts.');
  }
  return names.map((host, index) => ({
    host: host || undefined,
    port: ports[ports.length === 1 ? 0 : index],
  }));
}

/**
 * Reads what is encrypted and verified. `allow` and `prefer` are rejected: they use no encryption if anyone in between says that the
 * server has none. Source: libpq, "SSL Support".
 */
function readTls(read: (name: string) => string | undefined): DatabaseTls | null {
  const sslrootcert = read('sslrootcert');
  const files = { sslcert: read('sslcert'), sslkey: read('sslkey') };
  const negotiation = read('sslnegotiation') ?? 'postgres';
  const hasFiles = [sslrootcert, files.sslcert, files.sslkey].some((file) => file !== undefined);
  const said = read('sslmode');
  const mode = said ?? 'verify-full';
  if (mode === 'allow' || mode === 'prefer') {
    throw new RangeError(
      `sslmode=${mode} is not supported: it may use no encryption without saying so. Use verify-full, or disable on a trusted network.`,
    );
  }
  if (negotiation !== 'postgres' && negotiation !== 'direct') {
    throw new RangeError('sslnegotiation must be postgres or direct.');
  }
  const isDirect = negotiation === 'direct';
  if (mode === 'disable') {
    if (isDirect) throw new RangeError('sslnegotiation=direct needs sslmode=require or stronger.');
    return null;
  }
  if (mode !== 'require' && mode !== 'verify-ca' && mode !== 'verify-full') {
    throw new RangeError('sslmode must be disable, require, verify-ca or verify-full.');
  }
  const isSystem = sslrootcert === 'system';
  if (isSystem && mode !== 'verify-full') {
    throw new RangeError(`sslrootcert=system needs sslmode=verify-full, not ${mode}.`);
  }
  if (mode === 'verify-ca' && sslrootcert === undefined) {
    throw new RangeError(
      'sslmode=verify-ca needs sslrootcert, a file with the certificate of your authority: public authorities certify servers of anyone. Or use verify-full.',
    );
  }
  // With a file, `require` verifies it. Source: libpq, "SSL Support".
  const verified = mode === 'require' && sslrootcert !== undefined ? 'verify-ca' : mode;
  return {
    mode: verified,
    sslrootcert: isSystem ? undefined : sslrootcert,
    ...files,
    isDirect,
    // Who names a certificate expects it to be used.
    isDefault: said === undefined && !hasFiles && !isDirect,
  };
}

/** Returns whether connections to a host are encrypted: to a Unix socket never, to this machine only if something says so. */
export function usesTls({ isDefault }: DatabaseTls, host: string | undefined): boolean {
  const name = host ?? (process.env.PGHOST || 'localhost');
  return !(name.startsWith('/') || (isDefault && isLoopback(name)));
}

/**
 * Parses the URL of a PostgreSQL database as libpq does: all parts may be percent-encoded, and `sslmode` has its meaning.
 *
 * @param env Has the variables of libpq for what the URL does not say about TLS.
 * @throws RangeError that says what is wrong and shows nothing of the URL, which may have a password anywhere.
 */
export function parseDatabaseUrl(url: string, env: NodeJS.ProcessEnv = process.env): DatabaseUrl {
  const match = urlPattern.exec(url);
  if (match === null) {
    throw new RangeError(
      'It is not a URL such as postgres://host:5432/database. In names and passwords, write @ as %40, / as %2F, ? as %3F and # as %23.',
    );
  }
  const [, userInfo = '', authority = '', path = '', query = ''] = match;
  const values = parseParameters(query);
  const [user = ''] = userInfo.split(':', 1);
  const wanted = values.get('target_session_attrs');
  if (wanted !== undefined && wanted !== 'read-write' && wanted !== 'primary') {
    throw new RangeError(
      'Of target_session_attrs, only read-write and primary are supported: the server connects to the host that accepts changes. Leave it out.',
    );
  }
  return {
    hosts: readHosts(authority, values),
    user: (values.get('user') ?? decode(user)) || undefined,
    password: (values.get('password') ?? decode(userInfo.slice(user.length + 1))) || undefined,
    database: (values.get('dbname') ?? decode(path)) || undefined,
    options: values.get('options'),
    applicationName: values.get('application_name'),
    tls: readTls((name) => values.get(name) ?? (env[`PG${name.toUpperCase()}`] || undefined)),
  };
}

function readFile(name: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StoreUnavailableError(`Cannot read the file of ${name} for PostgreSQL (${code}).`, {
      cause: error,
    });
  }
}

/**
 * Reads the files of TLS, for each connection again, so that renewed ones are used.
 *
 * @throws StoreUnavailableError if one cannot be read.
 */
export function readTlsOptions(tls: DatabaseTls): ConnectionOptions {
  const ca = readFile('sslrootcert', tls.sslrootcert);
  const cert = readFile('sslcert', tls.sslcert);
  const key = readFile('sslkey', tls.sslkey);
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    rejectUnauthorized: tls.mode !== 'require',
    // Any name is accepted if the authority is right.
    ...(tls.mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}
