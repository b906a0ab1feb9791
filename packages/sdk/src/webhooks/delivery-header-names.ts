import type { deliveryHeaderNames } from '@tradepost/contract/wire';

type Names = typeof deliveryHeaderNames;

// Held to the contract by their types; a table of names would weigh more than the names.

/** Lowercase hex HMAC-SHA256 of the raw body, keyed with the endpoint secret. */
export const serviceSignature = 'service-signature' satisfies Lowercase<Names['signature']>;
/** The event's id. Source: Standard Webhooks. */
export const webhookId = 'webhook-id' satisfies Names['webhookId'];
/** When the attempt was made, in seconds since 1970. Source: Standard Webhooks. */
export const webhookTimestamp = 'webhook-timestamp' satisfies Names['webhookTimestamp'];
/** `v1,<base64>` over id, timestamp and body. Source: Standard Webhooks. */
export const webhookSignature = 'webhook-signature' satisfies Names['webhookSignature'];
