/** Thrown when the store cannot do its work now: locked, full, gone. Nothing was changed. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError' as const;
}
