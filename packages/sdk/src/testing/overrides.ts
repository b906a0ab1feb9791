/** Fields that replace defaults. Those that are left out, or undefined, keep them. */
export type Overrides<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** Returns the fields that replace a default. */
export function listOverrides<Fields extends object>(
  overrides: Overrides<Fields> | undefined,
): Partial<Fields> {
  const given = Object.entries(overrides ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Fields>;
}
