/** What parses an option or an argument and knows which values it takes. */
interface KnowsValues {
  /** The values, for suggestions: looked up when they are asked for. */
  values: () => readonly string[];
  /** Whether several may be given at once, separated by commas. */
  isList?: boolean;
}

/** Gives what parses an option or an argument the values that shells suggest for it. */
export function knowsValues<Parse extends (text: string) => unknown>(
  parse: Parse,
  values: () => readonly string[],
  { isList = false }: { isList?: boolean } = {},
): Parse & KnowsValues {
  return Object.assign(parse, { values, isList });
}

/** The values that a parser was given by `knowsValues`; null when it was given none. */
export function valuesOf(parse: unknown): Required<KnowsValues> | null {
  if (typeof parse !== 'function' || !('values' in parse)) return null;
  const { values, isList } = parse as unknown as Required<KnowsValues>;
  return { values, isList };
}
