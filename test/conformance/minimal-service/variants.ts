/**
 * What the interface leaves open, and the minimal service can do differently from its default. A conformance kit must
 * pass the service with any of them. Each value says what varies; the hook in the service is `variant === 'NAME'`.
 */
export const variants = {
  plainStatuses: 'Every success is a 200, also of a creation.',
  emptyUpdates: 'A PATCH responds with 204 and no body.',
  hiddenIsForbidden: 'Another account’s order or notification is 403; errors have an HTML body.',
  politeRefusals: 'A PATCH with an invalid body is a 200 without effect.',
  strictRequests: 'Unknown fields and query parameters are refused.',
  basicTimestamps: 'Timestamps are in the basic form: 20260101T120000.123+0000.',
  offsetTimestamps:
    'Timestamps have a decimal comma and an offset: 2026-01-01T12:00:00,123000+00:00.',
  wholeSeconds: 'Timestamps have no fraction.',
  decimalQuantities: 'The integer 2 is written as 2.0.',
  nestedNotifications: 'Notifications are listed in `data.notifications`.',
  mediaTypeSpelling: 'The media type is written Application/JSON; charset=UTF-8.',
  moreFields: 'Records and events have fields more, among them `type` beside `event`.',
  moreNotifications: 'A new order causes a notification of another type.',
  onlyOneMove: 'The only move is from pending to fulfilling.',
  anyMove: 'Every move is allowed; the present status again is accepted without an event.',
  sellerOnly: 'Only the seller is notified and gets events.',
  limitsRequests: 'Every tenth request is a 429, some with Retry-After.',
  fewWebhooks: 'An account has at most eight webhooks.',
  actorOnly: 'Only the account that has made a change is notified and gets the event.',
  movesItself: 'An order that is fulfilling becomes completed 150 ms later.',
  appliesLater:
    'A change of an order or a notification is accepted with 202, and made 700 ms later.',
  confirmsItself: 'An order becomes confirmed 150 ms after its creation.',
  oddIds: 'The IDs of orders end with `=:`.',
  agentWithChange: 'An order gets its agent when it becomes fulfilling.',
  flakyRegistration: 'The first registration of each account succeeds, and its response is a 503.',
  listsLater: 'A list shows a change 700 ms later.',
  agentLater: 'Every order gets an agent, 50 ms after its creation.',
  otherClients:
    'Another client of the buyer orders 77 units before every response to an order; others mark notifications.',
  weekDates: 'Timestamps have week dates: 2026-W05-6T12:00:00.123Z.',
  slowWebhooks: 'All deliveries but those to one webhook are 3 s late.',
  namedSigningSecret: 'The secret of a webhook is called `signingSecret`.',
  oddHeaderCase: 'The header is written sErViCe-SiGnAtUrE.',
  indentedEvents: 'Events are indented JSON with a media type of their own.',
  reorderedRetries: 'A retry has the same fields in another order.',
  lateDeliveries: 'Deliveries start 100 to 150 ms late, a newer one before an older one.',
  rareDuplicates: 'Every tenth delivery is sent twice.',
} satisfies Record<string, string>;

export type VariantName = keyof typeof variants;
