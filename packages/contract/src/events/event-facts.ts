import type { AccountKind } from '../accounts/account';
import type { EventType } from './event';

/** An event that another one brings with it or may be followed by. */
export interface RelatedEvent {
  /** Its type. */
  event: EventType;
  /** When it happens: the end of a sentence, without a full stop. */
  when: string;
}

/** What the documentation says of an event. A test compares it with the rules of the domain. */
export interface EventFacts {
  /** What makes it happen. */
  cause: string;
  /** What its recipients have to do with: the order, the listing or the webhook. */
  subject: 'order' | 'listing' | 'webhook';
  /** Who gets it: these accounts of its subject. The agent gets it only if there is one. `owner` is an account of any kind. */
  recipients: readonly (AccountKind | 'owner')[];
  /** Whether its deliveries have an `orderVersion` in `Tradepost-Position`. */
  hasOrderVersion: boolean;
  /** The events of the same change. They have later positions in the event log. */
  cameWith: readonly RelatedEvent[];
  /** The events that may come later. */
  mayFollow: readonly RelatedEvent[];
}

const everyone = ['buyer', 'seller', 'agent'] as const;
const nextChange = {
  event: 'order.status_changed',
  when: 'the seller or the agent changes the status of the order',
} as const;
const approval = {
  event: 'task.completed',
  when: 'an order with an agent leaves `pending`',
} as const;

/** What happens, who gets it, and what comes with it or later, for each event type. Source: the rules of the domain. */
export const eventFacts: { readonly [Type in EventType]: EventFacts } = {
  'order.created': {
    cause: 'A buyer creates an order. It has the seller and the agent of its listing.',
    subject: 'order',
    recipients: everyone,
    hasOrderVersion: true,
    cameWith: [
      { event: 'task.approval_requested', when: 'the order has an agent' },
      {
        event: 'listing.availability_low',
        when: 'the order leaves its listing with fewer units than the threshold',
      },
    ],
    mayFollow: [nextChange, approval],
  },
  'order.status_changed': {
    cause:
      'The seller or the agent of an order changes its status. A request with the current status changes nothing, and no event happens.',
    subject: 'order',
    recipients: everyone,
    hasOrderVersion: true,
    cameWith: [approval],
    mayFollow: [
      {
        event: 'order.status_changed',
        when: 'the status changes again; `completed` and `cancelled` are final',
      },
    ],
  },
  'task.approval_requested': {
    cause: 'An order with an agent is created: its agent is asked to approve it.',
    subject: 'order',
    recipients: everyone,
    hasOrderVersion: true,
    cameWith: [
      {
        event: 'listing.availability_low',
        when: 'the order leaves its listing with fewer units than the threshold',
      },
    ],
    mayFollow: [nextChange, approval],
  },
  'task.completed': {
    cause:
      'An order with an agent leaves `pending`, by a change of its seller or its agent, also if it is cancelled.',
    subject: 'order',
    recipients: everyone,
    hasOrderVersion: true,
    cameWith: [],
    mayFollow: [nextChange],
  },
  'listing.availability_low': {
    cause:
      'An order leaves its listing with fewer units than the threshold. It does not happen again until the quantity has risen above the threshold, for example by a cancelled order.',
    subject: 'listing',
    recipients: ['seller', 'agent'],
    hasOrderVersion: false,
    cameWith: [],
    mayFollow: [
      {
        event: 'listing.availability_low',
        when: 'the quantity has risen above the threshold and drops below it again',
      },
    ],
  },
  'webhook.disabled': {
    cause:
      'An extension. All attempts to an endpoint have failed for days (three by default), and the service disables its webhook. The disabled webhook itself does not get it.',
    subject: 'webhook',
    recipients: ['owner'],
    hasOrderVersion: false,
    cameWith: [],
    mayFollow: [
      {
        event: 'webhook.disabled',
        when: 'the webhook is resumed and its endpoint keeps failing',
      },
    ],
  },
};

/** Says who gets an event: `the buyer, the seller and (if there is one) the agent of the order`. */
export function describeRecipients(event: EventType): string {
  const { recipients, subject } = eventFacts[event];
  const named = recipients.map((kind) =>
    kind === 'agent' ? '(if there is one) the agent' : `the ${kind}`,
  );
  const others = named.slice(0, -1).join(', ');
  return `${others && `${others} and `}${named.at(-1)} of the ${subject}`;
}
