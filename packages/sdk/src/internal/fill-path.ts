import { invalidConfiguration } from './invalid-configuration';

/** The names of a path template's parameters: `'id'` for `/v1/orders/:id`. */
type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/**
 * Puts the parameters into a path template, percent-encoded.
 *
 * @throws {TradepostError} `invalid_configuration` when a value would lead to another path: it is
 * no text, empty, `.` or `..`.
 */
export function fillPath<Path extends string>(
  path: Path,
  parameters: Record<PathParameter<Path>, string>,
): string {
  return path.replace(/:(\w+)/g, (_, name: PathParameter<Path>) => {
    const value: unknown = parameters[name];
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
      throw invalidConfiguration(
        `${path} needs ${name}: pass it as a non-empty string (got ${JSON.stringify(value)}).`,
      );
    }
    return encodeURIComponent(value);
  });
}
