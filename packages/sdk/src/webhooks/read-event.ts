import { textOf } from './text-of';
import type { WebhookEvent } from './webhook-event';

/**
 * Reads the envelope out of a body whose signature is good; null when it is none. An event kind that
 * this version does not know passes through. Source: the interface, "Payload envelope".
 */
export function readEvent(body: string | Uint8Array): WebhookEvent | null {
  try {
    const envelope = JSON.parse(textOf(body));
    const { event, createdAt, data } = envelope;
    const isWhole =
      event &&
      typeof event === 'string' &&
      typeof createdAt === 'string' &&
      typeof data === 'object' &&
      !Array.isArray(data);
    return isWhole && data ? envelope : null;
  } catch {
    return null;
  }
}
