/** Type only: it gives `Unrecognized` a place among literal types. */
declare enum UnrecognizedValue {
  /** Stands for every unknown value. No value ever equals this string. */
  Value = '~unrecognized',
}

/**
 * A value that this version of the package does not know. The service may add statuses, event types and
 * notification types at any time, and they are passed through unchanged.
 *
 * It is a string that equals none of the known values. A `switch` over the known values handles it in its
 * `default` branch, and a function that lacks that branch does not compile. It is an enum because
 * TypeScript narrows unions by literals and enums only, and never by a branded string.
 */
export type Unrecognized = UnrecognizedValue;
