/** Thrown when an operator's command cannot be done; its message says why and what to do. */
export class OperatorError extends Error {
  override name = 'OperatorError' as const;
}
