/**
 * Tells whether a developer looks on: what costs time or fills a log is left out elsewhere, since whoever
 * sends forgeries must not cause it. Where there is no `process` nobody does.
 */
export function isDevelopment(): boolean {
  return typeof process !== 'undefined' && process.env?.NODE_ENV !== 'production';
}
