import { destination, type Logger, pino } from 'pino';

/** How much is logged, from nothing to everything. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** One level of logging. */
export type LogLevel = (typeof logLevels)[number];

/** A log of JSON lines on stderr. Keys and secrets are blotted out wherever they would stand. */
export function createLog(level: LogLevel): Logger {
  const hidden = ['authorization', 'apiKey', 'secret', 'signature'];
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    },
    destination({ fd: 2, sync: true }),
  );
}
