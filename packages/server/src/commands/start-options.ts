import { Option } from 'commander';
import { integerFrom, readSwitch } from '../config';
import { type LogLevel, logLevels } from '../log';
import { defaultRetention, type Retention, resolveRetention } from '../retention/retention';
import { OperatorError } from './operator-error';

const roles = ['all', 'api', 'worker'] as const;

/** What `tradepost-server start` is told. */
export interface StartOptions {
  database: string;
  /** What the process does of the service. */
  role: (typeof roles)[number];
  port: number;
  host: string;
  rateLimit: number;
  /** As many as the file descriptors allow, 10,000 at most, unless it is given. */
  maxConnections?: number;
  maxDatabaseMb?: number;
  /** Days. */
  keepDeliveries: number;
  /** Days. */
  keepEvents: number;
  /** Days. */
  keepNotifications: number;
  /** Days; 180 by default, or as long as `keepNotifications` where that is longer. */
  keepUnreadNotifications?: number;
  /** Metrics are served only when there is one. */
  metricsPort?: number;
  metricsHost: string;
  logLevel: LogLevel;
  allowInsecureWebhooks?: boolean;
}

const readPort = integerFrom(0, 65_535);
const longestKept = 3_650;

/** How the server runs: a flag wins over the environment, which wins over the default. */
export const startOptions: readonly Option[] = [
  new Option(
    '--role <role>',
    'what this process does: serve the API, make the deliveries as a worker, or both',
  )
    .env('TRADEPOST_ROLE')
    .choices(roles)
    .default('all'),
  new Option('--port <port>', 'TCP port; 0 takes a free one')
    .env('PORT')
    .default(4010)
    .argParser(readPort),
  new Option('--host <address>', 'address to listen on').env('TRADEPOST_HOST').default('127.0.0.1'),
  new Option('--rate-limit <requests>', 'requests that one API key may make in a minute')
    .env('TRADEPOST_RATE_LIMIT')
    .default(6000)
    .argParser(integerFrom(1, 100_000_000)),
  new Option(
    '--max-connections <connections>',
    'API connections that may be open at once; more are closed as they come',
  )
    .env('TRADEPOST_MAX_CONNECTIONS')
    .argParser(integerFrom(1, 1_000_000)),
  new Option(
    '--max-database-mb <megabytes>',
    'how large the database may grow; changes are refused with 503 beyond it',
  )
    .env('TRADEPOST_MAX_DATABASE_MB')
    .argParser(integerFrom(1, 16_000_000)),
  new Option('--keep-deliveries <days>', 'how long to keep deliveries after their end')
    .env('TRADEPOST_KEEP_DELIVERIES')
    .default(defaultRetention.deliveries)
    .argParser(integerFrom(2, longestKept)),
  new Option(
    '--keep-events <days>',
    'how long to keep events; longer while a delivery or a notification is about them',
  )
    .env('TRADEPOST_KEEP_EVENTS')
    .default(defaultRetention.events)
    .argParser(integerFrom(1, longestKept)),
  new Option('--keep-notifications <days>', 'how long to keep notifications that were read')
    .env('TRADEPOST_KEEP_NOTIFICATIONS')
    .default(defaultRetention.notifications)
    .argParser(integerFrom(1, longestKept)),
  new Option(
    '--keep-unread-notifications <days>',
    `how long to keep notifications that were never read (default: ${defaultRetention.unreadNotifications}, or --keep-notifications if that is longer)`,
  )
    .env('TRADEPOST_KEEP_UNREAD_NOTIFICATIONS')
    .argParser(integerFrom(1, longestKept)),
  new Option('--metrics-port <port>', 'serve /metrics on this TCP port too; 0 takes a free one')
    .env('TRADEPOST_METRICS_PORT')
    .argParser(readPort),
  new Option('--metrics-host <address>', 'address to serve /metrics on')
    .env('TRADEPOST_METRICS_HOST')
    .default('127.0.0.1'),
  new Option('--log-level <level>', 'how much to log on stderr')
    .env('TRADEPOST_LOG_LEVEL')
    .choices(logLevels)
    .default('info'),
  new Option(
    '--allow-insecure-webhooks [boolean]',
    'for development: deliver to http://, to private addresses, and past bad certificates',
  )
    .env('TRADEPOST_ALLOW_INSECURE_WEBHOOKS')
    .argParser(readSwitch),
];

/**
 * Reads from the options how long things are kept.
 *
 * @throws OperatorError when unread notifications would be removed sooner than read ones.
 */
export function readRetention(options: StartOptions): Retention {
  const { keepNotifications, keepUnreadNotifications } = options;
  if (keepUnreadNotifications !== undefined && keepUnreadNotifications < keepNotifications) {
    throw new OperatorError(
      `--keep-unread-notifications (${keepUnreadNotifications}) must not be shorter than --keep-notifications (${keepNotifications}): unread notifications would be removed sooner than read ones. Raise the first or lower the second.`,
    );
  }
  return resolveRetention({
    deliveries: options.keepDeliveries,
    events: options.keepEvents,
    notifications: keepNotifications,
    ...(keepUnreadNotifications !== undefined && { unreadNotifications: keepUnreadNotifications }),
  });
}
