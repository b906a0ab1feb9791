/**
 * The type of an event that this version of the package does not know. The service may add event types at any
 * time, and they are passed through unchanged.
 *
 * It is a string that equals none of the known types. A `switch` over the known types handles it in its
 * `default` branch. It is an enum because TypeScript narrows unions of objects by literals and enums only,
 * and never by an open string. It exists as a type only.
 */
export declare enum Unrecognized {
  /** Stands for every unknown value. No value ever equals this string. */
  Value = '~unrecognized',
}

/**
 * Any other text: a value that this version of the package does not know, such as a status that the service
 * added. It is passed through unchanged, and can be compared with any text.
 */
export type Other = string & Record<never, never>;

/** The known values in a type that also has unknown ones. */
type Known<Value> = Value extends Unrecognized ? never : string extends Value ? never : Value;

/** Accepts any value if none of its type is known; otherwise the error of the compiler names them. */
type Handled<Value> = [Known<Value>] extends [never] ? unknown : { notHandled: Known<Value> };

/**
 * Checks at compile time that a `switch` handles every known value: call it in the `default` branch. The error of
 * the compiler names the values that are not handled, as `notHandled`. At run time it returns the value, which is
 * then one that this version of the package does not know.
 *
 * @example
 * switch (order.status) {
 *   case 'pending': …
 *   case 'confirmed': …
 *   default: console.log('unknown status', exhaustive(order.status)); // error: { notHandled: "fulfilling" | … }
 * }
 */
export function exhaustive<Value>(value: Value & Handled<Value>): Value {
  return value;
}

/**
 * Checks whether a value is one of a list of known ones, such as `orderStatuses`, `eventTypes` or `deliveryStates`. It narrows
 * the type: to those of the list, or else to what this version of the package does not know.
 *
 * @example
 * const next = isOneOf(orderStatuses, order.status) ? orderTransitions[order.status] : [];
 */
export function isOneOf<const Known extends string>(
  known: readonly Known[],
  value: string,
): value is Known {
  return (known as readonly string[]).includes(value);
}
