/** Nothing of it exists at run time: it gives `Unrecognized` a place among literals. */
declare enum UnrecognizedValue {
  /** Stands for every value that is not known; no value is ever this text. */
  Value = '~unrecognized',
}

/**
 * A value that this version of the package does not know: the service may add states, event kinds and
 * notification types at any time, and they pass through as they are.
 *
 * It is a string that equals none of the known values, so a `switch` over the known ones leaves it in
 * its `default` branch, and a function that forgets that branch does not compile. It is an enum since
 * TypeScript tells the members of a union apart by literals and enums alone, never by a branded
 * string.
 */
export type Unrecognized = UnrecognizedValue;
