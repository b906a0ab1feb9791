/** A task that an assistant can be asked to do with the tools. */
interface Guide {
  name: string;
  title: string;
  description: string;
  /** Its only argument. */
  argument: { name: string; description: string };
  /** What the assistant is told; `it` is the argument. */
  text(it: string): string;
}

export const guides: readonly Guide[] = [
  {
    name: 'triage_silent_webhook',
    title: 'Why does this webhook receive nothing?',
    description: 'Finds out why a webhook is silent, and what to do.',
    argument: { name: 'webhookId', description: 'whk_…' },
    text: (it) =>
      [
        `The webhook ${it} receives nothing. Find out why:`,
        `1. get_webhook: is it paused or in backoff, what does lastStatus say, since when does it fail, and does it subscribe to the event types that are missed?`,
        `2. list_deliveries with webhookId ${it}, limit 5: none means that no such event happened; compare with list_events.`,
        '3. explain_delivery of the newest one that is not delivered.',
        'Report the cause, how many deliveries wait or failed, and the next step. Change nothing without the consent of the user.',
      ].join('\n'),
  },
  {
    name: 'was_the_buyer_told',
    title: 'Was the buyer told?',
    description: 'Finds out which changes of an order were reported, and how.',
    argument: { name: 'orderId', description: 'ord_…' },
    text: (it) =>
      [
        `Was everyone told about the changes of the order ${it}?`,
        `1. get_order with names, and list_events with orderId ${it}: its changes, newest first.`,
        '2. list_notifications: those with this orderId are of the account of this server; read says whether they were read.',
        `3. list_deliveries with orderId ${it}; explain_delivery of each that is not delivered.`,
        'This account sees its own notifications and deliveries only: say what it cannot see.',
      ].join('\n'),
  },
];

/** The tools whose results can be read as resources, by the noun in the URI. */
export const resources = [
  { noun: 'orders', tool: 'get_order', prefix: 'ord' },
  { noun: 'events', tool: 'get_event', prefix: 'evt' },
  { noun: 'webhooks', tool: 'get_webhook', prefix: 'whk' },
  { noun: 'deliveries', tool: 'explain_delivery', prefix: 'dlv' },
] as const;
