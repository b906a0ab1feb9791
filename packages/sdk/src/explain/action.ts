/**
 * What to do about a delivery or a webhook. `text` says it in a sentence or two; the other fields are for a program that
 * does it, or that offers it as a button, a command or a tool.
 */
export type Action =
  | {
      /** Send the delivery again: `deliveries.replay`. */
      type: 'replay';
      deliveryId: string;
      text: string;
    }
  | {
      /** Send all that is pending: `webhooks.replayDeliveries` with the state `pending`. */
      type: 'retry';
      webhookId: string;
      text: string;
    }
  | {
      /** Resume the webhook: `webhooks.update` with the status `active`. */
      type: 'resume';
      webhookId: string;
      text: string;
    }
  | {
      /** Change the URL: `webhooks.update`. */
      type: 'change_url';
      webhookId: string;
      text: string;
    }
  | {
      /** Send a test event: `webhooks.test`. */
      type: 'test';
      webhookId: string;
      /** The event type. */
      event: string;
      text: string;
    }
  | {
      /** Find out why a signature does not match: `verifyDelivery` of `@tradepost/sdk/webhooks`. */
      type: 'verify';
      text: string;
    }
  | {
      /** Forward events to a receiver that has no public address: `tradepost webhooks listen`, or `events.follow`. */
      type: 'forward';
      text: string;
    }
  | {
      /** Do nothing for a while. */
      type: 'wait';
      /** When it goes on by itself: ISO 8601, UTC. Null if that is not known. */
      until: string | null;
      text: string;
    }
  | {
      /** Change something that no call changes: the receiver, its network or its secret. */
      type: 'fix';
      text: string;
    };
