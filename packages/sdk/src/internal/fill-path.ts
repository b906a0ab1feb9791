import { invalidConfiguration } from './invalid-configuration';

/**
 * Puts an id into a path template in the place of `:id`, percent-encoded.
 *
 * @throws {TradepostError} `invalid_configuration` when it would lead to another path: it is no text,
 * empty, `.` or `..`.
 */
export function fillPath(path: string, id: string | undefined): string {
  if (!path.includes(':id')) return path;
  // Plain JavaScript may pass anything.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) {
    throw invalidConfiguration(
      `${path} needs id: pass it as a non-empty string (got ${JSON.stringify(id)}).`,
    );
  }
  return path.replace(':id', encodeURIComponent(id));
}
