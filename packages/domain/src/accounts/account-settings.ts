/** What a change of settings changed, for the audit log: the value before and the new one. Null stands for the default. */
export type SettingChanges<Name extends string> = Partial<
  Record<Name, { from: number | null; to: number | null }>
>;

/** The lowest and the highest value of each setting. */
export type SettingBounds<Name extends string> = Readonly<
  Record<Name, { readonly min: number; readonly max: number }>
>;

/**
 * Changes settings of an account. Those that are not named stay. Returns what it changed too, which may be nothing.
 *
 * @param bounds Has the names of the settings. The values are within them.
 */
export function changeSettings<Name extends string, Settled extends Record<Name, number | null>>(
  account: Settled,
  bounds: SettingBounds<Name>,
  settings: Partial<Record<Name, number | null>>,
): { account: Settled; changes: SettingChanges<Name> } {
  const changes: SettingChanges<Name> = {};
  for (const name of Object.keys(bounds) as Name[]) {
    const from = account[name];
    const to = settings[name];
    if (to !== undefined && to !== from) changes[name] = { from, to };
  }
  return { account: { ...account, ...settings }, changes };
}
