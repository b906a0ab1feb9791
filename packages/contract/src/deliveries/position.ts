/** Where the event of a delivery is: in the log of the account, and in the history of its order. */
export interface EventPosition {
  /** The sequence number of the event in the log of the account. Later events have higher ones, with gaps. */
  sequence: number;
  /** The version of the order after the change that caused the event; null if the event is not about an order. */
  orderVersion: number | null;
}

/** Formats the header `Tradepost-Position`: `sequence=1838339443200000, orderVersion=2`. */
export function formatPosition({ sequence, orderVersion }: EventPosition): string {
  return `sequence=${sequence}${orderVersion === null ? '' : `, orderVersion=${orderVersion}`}`;
}

/**
 * Returns what `Tradepost-Position-Signature` signs before the body: `{webhook-id}.{webhook-timestamp}.{position}.`
 *
 * @param seconds `webhook-timestamp`
 * @param position the value of `Tradepost-Position`, unchanged
 */
export function positionHead(id: string, seconds: number | string, position: string): string {
  return `${id}.${seconds}.${position}.`;
}
