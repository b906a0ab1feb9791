/**
 * What follows the prefix in every ID in the body of a test event, as in `ord_TradepostTest01KAJ8Q0V7T3M5X9R2C4D6F8GH`. No other
 * ID has it: the service creates IDs of capital letters and digits.
 */
export const testIdMark = 'TradepostTest';

/**
 * Whether an event is a test event, with made-up data. Its body says so, in the ID of what it is about, because both
 * signatures cover the body: a header could be left out or added.
 */
export function isTestEvent({ data }: { data: object }): boolean {
  const { orderId, listingId, webhookId } = (data ?? {}) as Record<string, unknown>;
  const id = orderId ?? listingId ?? webhookId;
  return typeof id === 'string' && id.startsWith(testIdMark, 'ord_'.length);
}
