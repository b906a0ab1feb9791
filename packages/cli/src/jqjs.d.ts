/** The part of the jq language's implementation that is used; it comes without types. */
declare module '@michaelhomer/jqjs' {
  /** @throws when the expression is not of the language. The filter throws when a value does not fit. */
  export function compile(expression: string): (value: unknown) => Iterable<unknown>;
}
