import { retentionBounds } from '@tradepost/domain/accounts/retention';
import { defaultMaxOpenDeliveries } from '@tradepost/domain/deliveries/open-deliveries';
import { defaultDisableAfterDays } from '@tradepost/domain/webhooks/disabling';
import { Option } from 'commander';
import { type LogLevel, logLevels } from '../kernel/log';
import { defaultRetention, type Retention, resolveRetention } from '../retention/retention';
import { isPostgresUrl } from '../stores/database-url';
import { UsageError } from './operator-error';
import {
  parseBoolean,
  parseFile,
  parseInteger,
  parseOrigins,
  parseProxies,
  secretKeyFileOption,
} from './options';

const roles = ['all', 'api', 'worker'] as const;

/** The options of `tradepost-server start`. */
export interface StartOptions {
  database: string;
  /** What this process runs. */
  role: (typeof roles)[number];
  port: number;
  host: string;
  /** The file of a certificate; with `tlsKey`, the API is served by HTTPS. */
  tlsCert?: string;
  tlsKey?: string;
  rateLimit: number;
  /** By default five times `rateLimit`. */
  accountRateLimit?: number;
  /** How many pending deliveries an account may have. */
  maxOpenDeliveries: number;
  /** By default as many as the file descriptors allow, up to 10,000. */
  maxConnections?: number;
  /** For how many seconds an API connection may wait for its next request. */
  keepAlive: number;
  maxDatabaseMb?: number;
  /** How many connections to PostgreSQL the process may open; with an engine, each of its two threads. 10 by default. */
  databaseConnections?: number;
  /** Whether to create the tables, and to migrate an older schema. */
  migrate: boolean;
  /** A file with the keys that encrypt endpoint secrets. */
  secretKeyFile?: string;
  /** Days. */
  keepDeliveries: number;
  /** Days. */
  keepEvents: number;
  keepAuditLog: number;
  /** Days. */
  keepNotifications: number;
  /** Days; by default 180, or as long as `keepNotifications` if that is longer. */
  keepUnreadNotifications?: number;
  /** Days; 0 for never. */
  disableAfter: number;
  /** Metrics are served only if this is set. */
  metricsPort?: number;
  metricsHost: string;
  /** For how many seconds the API accepts requests after the signal to stop, while `/readyz` fails. */
  shutdownDelay: number;
  /** How long a delivery may be due before the process is not ready; by default the age is only reported. */
  maxDueSeconds?: number;
  /** Whether to serve the API reference. */
  docs: boolean;
  console: boolean;
  corsOrigin?: string[];
  /** Addresses and subnets of proxies whose `X-Forwarded-For` is believed. */
  trustProxy?: string[];
  logLevel: LogLevel;
  /** How many requests are logged in a second. */
  logRequests: number;
  allowInsecureWebhooks?: boolean;
}

const parsePort = parseInteger(0, 65_535);
const maxRetentionDays = retentionBounds.keepDeliveries.max;
const parseDays = parseInteger(0, maxRetentionDays);
const parseRetention = (name: keyof typeof retentionBounds) =>
  parseInteger(retentionBounds[name].min, retentionBounds[name].max);
const parseDisableAfter = (text: string) => (text === 'never' ? 0 : parseDays(text));

/** The options of the server. A flag overrides the environment, which overrides the default. */
export const startOptions: readonly Option[] = [
  new Option('--role <role>', 'what this process runs: the API, a delivery worker, or both')
    .env('TRADEPOST_ROLE')
    .choices(roles)
    .default('all'),
  new Option('--port <port>', 'TCP port; 0 selects a free one')
    .env('PORT')
    .default(4010)
    .argParser(parsePort),
  new Option('--host <address>', 'address to listen on').env('TRADEPOST_HOST').default('127.0.0.1'),
  new Option(
    '--tls-cert <file>',
    'serve HTTPS with this certificate in PEM, followed by those of its authorities; read again when it changes',
  )
    .env('TRADEPOST_TLS_CERT')
    .argParser(parseFile),
  new Option('--tls-key <file>', 'private key of the certificate, in PEM')
    .env('TRADEPOST_TLS_KEY')
    .argParser(parseFile),
  new Option('--rate-limit <requests>', 'requests per minute for one API key')
    .env('TRADEPOST_RATE_LIMIT')
    .default(6000)
    .argParser(parseInteger(1, 100_000_000)),
  new Option(
    '--account-rate-limit <requests>',
    'requests per minute for all keys of an account together (default: five times --rate-limit)',
  )
    .env('TRADEPOST_ACCOUNT_RATE_LIMIT')
    .argParser(parseInteger(1, 1_000_000_000)),
  new Option(
    '--max-open-deliveries <deliveries>',
    'pending deliveries of one account; further ones fail at once and can be replayed',
  )
    .env('TRADEPOST_MAX_OPEN_DELIVERIES')
    .default(defaultMaxOpenDeliveries)
    .argParser(parseInteger(1, 1_000_000_000)),
  new Option(
    '--max-connections <connections>',
    'maximum number of open API connections; further ones are closed',
  )
    .env('TRADEPOST_MAX_CONNECTIONS')
    .argParser(parseInteger(1, 1_000_000)),
  new Option(
    '--keep-alive <seconds>',
    'how long an API connection may wait for its next request; longer than proxies keep theirs',
  )
    .env('TRADEPOST_KEEP_ALIVE')
    .default(75)
    .argParser(parseInteger(1, 3_600)),
  new Option(
    '--max-database-mb <megabytes>',
    'maximum size of a SQLite database; beyond it, changes are rejected with 503',
  )
    .env('TRADEPOST_MAX_DATABASE_MB')
    .argParser(parseInteger(1, 16_000_000)),
  new Option(
    '--database-connections <connections>',
    'maximum number of connections to PostgreSQL, of each thread (default: 10)',
  )
    .env('TRADEPOST_DATABASE_CONNECTIONS')
    .argParser(parseInteger(2, 1_000)),
  new Option(
    '--migrate [boolean]',
    'create the database, or migrate it to the schema of this program',
  )
    .env('TRADEPOST_MIGRATE')
    .default(true)
    .argParser(parseBoolean),
  new Option('--no-migrate', 'do not start on a database without tables or with an older schema'),
  secretKeyFileOption(),
  new Option('--keep-deliveries <days>', 'how long to keep finished deliveries')
    .env('TRADEPOST_KEEP_DELIVERIES')
    .default(defaultRetention.deliveries)
    .argParser(parseRetention('keepDeliveries')),
  new Option(
    '--keep-events <days>',
    'how long to keep events; longer while a delivery or a notification refers to them',
  )
    .env('TRADEPOST_KEEP_EVENTS')
    .default(defaultRetention.events)
    .argParser(parseInteger(1, maxRetentionDays)),
  new Option('--keep-notifications <days>', 'how long to keep read notifications')
    .env('TRADEPOST_KEEP_NOTIFICATIONS')
    .default(defaultRetention.notifications)
    .argParser(parseRetention('keepNotifications')),
  new Option(
    '--keep-unread-notifications <days>',
    `how long to keep unread notifications (default: ${defaultRetention.unreadNotifications}, or --keep-notifications if that is longer)`,
  )
    .env('TRADEPOST_KEEP_UNREAD_NOTIFICATIONS')
    .argParser(parseRetention('keepUnreadNotifications')),
  new Option('--keep-audit-log <days>', 'how long to keep entries of the audit log')
    .env('TRADEPOST_KEEP_AUDIT_LOG')
    .default(defaultRetention.auditLog)
    .argParser(parseInteger(1, maxRetentionDays)),
  new Option(
    '--disable-after <days>',
    'pause a webhook when all attempts to it have failed for as long, and tell its account; 0 or never: do not',
  )
    .env('TRADEPOST_DISABLE_AFTER')
    .default(defaultDisableAfterDays)
    .argParser(parseDisableAfter),
  new Option(
    '--metrics-port <port>',
    'also serve /metrics, /livez and /readyz on this TCP port; 0 selects a free one',
  )
    .env('TRADEPOST_METRICS_PORT')
    .argParser(parsePort),
  new Option('--metrics-host <address>', 'address to serve /metrics on')
    .env('TRADEPOST_METRICS_HOST')
    .default('127.0.0.1'),
  new Option(
    '--max-due-seconds <seconds>',
    '/readyz fails while a delivery has been due for longer (default: it only reports the age)',
  )
    .env('TRADEPOST_MAX_DUE_SECONDS')
    .argParser(parseInteger(1, 86_400)),
  new Option(
    '--shutdown-delay <seconds>',
    'how long the API accepts requests after the signal to stop, while /readyz fails, so that load balancers notice',
  )
    .env('TRADEPOST_SHUTDOWN_DELAY')
    .default(0)
    .argParser(parseInteger(0, 300)),
  new Option('--docs [boolean]', 'serve the API reference at /docs, and the OpenAPI documents')
    .env('TRADEPOST_DOCS')
    .default(true)
    .argParser(parseBoolean),
  new Option('--no-docs', 'do not serve them'),
  new Option('--console [boolean]', 'serve the console, a web page for people, at /console')
    .env('TRADEPOST_CONSOLE')
    .default(true)
    .argParser(parseBoolean),
  new Option('--no-console', 'do not serve it'),
  new Option(
    '--cors-origin <origins>',
    'origins of web pages that may call the API, separated by commas; * for all',
  )
    .env('TRADEPOST_CORS_ORIGIN')
    .argParser(parseOrigins),
  new Option(
    '--trust-proxy <addresses>',
    'addresses or subnets of proxies whose X-Forwarded-For is believed, separated by commas; or loopback, linklocal, uniquelocal',
  )
    .env('TRADEPOST_TRUST_PROXY')
    .argParser(parseProxies),
  new Option('--log-level <level>', 'log level on stderr')
    .env('TRADEPOST_LOG_LEVEL')
    .choices(logLevels)
    .default('info'),
  new Option(
    '--log-requests <requests>',
    'how many requests are logged in a second; of further ones only the number is',
  )
    .env('TRADEPOST_LOG_REQUESTS')
    .default(100)
    .argParser(parseInteger(0, 1_000_000)),
  new Option(
    '--allow-insecure-webhooks [boolean]',
    'for development: deliver to http://, to private addresses and with invalid certificates',
  )
    .env('TRADEPOST_ALLOW_INSECURE_WEBHOOKS')
    .argParser(parseBoolean),
];

/**
 * Reads from the options how long data is kept.
 *
 * @throws UsageError if unread notifications would be removed before read ones.
 */
export function readRetention(options: StartOptions): Retention {
  const { keepNotifications, keepUnreadNotifications } = options;
  if (keepUnreadNotifications !== undefined && keepUnreadNotifications < keepNotifications) {
    throw new UsageError(
      `--keep-unread-notifications (${keepUnreadNotifications}) must not be less than --keep-notifications (${keepNotifications}), or unread notifications would be removed before read ones. Raise the first or lower the second.`,
    );
  }
  return resolveRetention({
    deliveries: options.keepDeliveries,
    events: options.keepEvents,
    auditLog: options.keepAuditLog,
    notifications: keepNotifications,
    ...(keepUnreadNotifications !== undefined && { unreadNotifications: keepUnreadNotifications }),
  });
}

/**
 * Checks that the options are of the kind of database.
 *
 * @throws UsageError
 */
export function requireDatabaseOptions(options: StartOptions): void {
  const { database, maxDatabaseMb, databaseConnections } = options;
  if (isPostgresUrl(database) && maxDatabaseMb !== undefined) {
    throw new UsageError(
      '--max-database-mb limits SQLite files. Limit the disk of PostgreSQL, or leave it out.',
    );
  }
  if (!isPostgresUrl(database) && databaseConnections !== undefined) {
    throw new UsageError('--database-connections is for PostgreSQL. Leave it out.');
  }
}

/**
 * Checks that API and metrics do not listen on the same port.
 *
 * @throws UsageError
 */
export function requireDistinctPorts(options: StartOptions): void {
  const { role, host, port, metricsHost, metricsPort } = options;
  // 0 selects a free port for each, and a worker has no API.
  if (role === 'worker' || port === 0 || port !== metricsPort || host !== metricsHost) return;
  throw new UsageError(
    `--port and --metrics-port are both ${port} on ${host}. Pass another --metrics-port; 0 selects a free one.`,
  );
}
