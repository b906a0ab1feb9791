import type { VerifiedDelivery } from '../webhooks/verified-delivery';
import type { KnownWebhookEvent, WebhookEvent } from '../webhooks/webhook-event';
import { type Answer, answer } from './answer';
import type { Incoming } from './incoming';
import type { EventHandler, WebhookReceiverOptions } from './receiver-options';

/** Seconds until a delivery that is being handled may come again. */
const busyRetryAfter = '10';

/**
 * Makes what happens to a verified delivery: claim it, have it handled, say how that went. The
 * promise of the answer never rejects.
 */
export function deliveryHandler({
  on,
  onUnknown,
  dedupe,
  after,
  onError = logError,
}: WebhookReceiverOptions) {
  return async (
    delivery: VerifiedDelivery,
    { goesOn, waitUntil }: Pick<Incoming, 'goesOn' | 'waitUntil'>,
  ): Promise<Answer> => {
    const { event } = delivery;
    const kind = event.event;
    const handler =
      (on && Object.hasOwn(on, kind) && on[kind as KnownWebhookEvent['event']]) || onUnknown;
    if (handler === 'ignore') return answer(204);
    if (!handler) {
      return answer(
        501,
        `NOT_HANDLED: this receiver has no handler for ${kind.slice(0, 100)}: add it to "on", or set "onUnknown"`,
      );
    }

    const told = async (step: () => unknown): Promise<boolean> => {
      try {
        await step();
        return true;
      } catch (error) {
        try {
          await onError(error, event, delivery);
        } catch (another) {
          console.error(another);
        }
        return false;
      }
    };

    const key = delivery.id ?? delivery.signature;
    if (dedupe) {
      let state: unknown;
      const claimed = await told(async () => {
        state = await dedupe.begin(key);
        if (state !== 'new' && state !== 'done' && state !== 'busy') {
          throw new TypeError(`dedupe.begin must answer new, done or busy, not ${state}`);
        }
      });
      if (!claimed) return answer(500, 'DEDUPE_FAILED');
      if (state === 'done') return answer(204);
      if (state === 'busy') return answer(503, 'BUSY', { 'Retry-After': busyRetryAfter });
    }

    const settled = async (step: () => unknown): Promise<boolean> => {
      const done = await told(step);
      // What was handled stays handled, also when the store can't note it.
      await told(() => (done ? dedupe?.done(key) : dedupe?.failed(key)));
      return done;
    };
    const run = () => settled(() => (handler as EventHandler<WebhookEvent>)(event, delivery));

    let handled: boolean;
    if (after && goesOn) {
      let takenOn = false;
      const work = nextTurn().then(async () => {
        if (takenOn) await run();
      });
      let kept: unknown;
      // A host that does not take the work on may stop at any time: let the delivery come again.
      await told(() => {
        kept = after === true ? waitUntil?.(work) : after(work);
        takenOn = true;
      });
      // Not waited for: it may well take as long as the work.
      void told(() => kept);
      if (takenOn) return answer(202);
      await told(() => dedupe?.failed(key));
      handled = false;
    } else {
      handled = await run();
    }
    return handled ? answer(204) : answer(500, 'HANDLER_FAILED');
  };
}

/** Lets the answer leave before work starts that may keep this thread busy. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

function logError(error: unknown, { event }: WebhookEvent, { id }: VerifiedDelivery): void {
  console.error(`Delivery ${id ?? ''} of ${event} was not handled:`, error);
}
