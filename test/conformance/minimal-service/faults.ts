/** A fault that the minimal service can have, and how a conformance kit must judge the service then. */
export interface Fault {
  /** What the service does wrong. */
  what: string;
  /** The check that must fail. */
  check: string;
  /** Other checks that fail too, because the same fault breaks their sentence. No further check may. */
  also: readonly string[];
}

const fails = (check: string, what: string, ...also: string[]): Fault => ({ check, what, also });

/** All faults by name. Each has its hook in the service, at the place of the fault: `fault === 'NAME'`. */
export const faults = {
  // Who may do what
  notificationsWithoutKey: fails('AUTH-1', 'Lists notifications without a key.'),
  webhooksWithoutKey: fails(
    'AUTH-1',
    'Registers webhooks without a key; no notification is unread.',
    'NTF-9',
  ),
  anyBearer: fails('AUTH-2', 'Takes any bearer token for a key of the buyer.'),
  sellerCreates: fails('AUTH-3', 'Creates orders for sellers.'),
  agentCreates: fails('AUTH-3', 'Creates orders for agents.'),
  sellerRefusedAfterCreate: fails(
    'AUTH-3',
    'Refuses a seller with 403, after it created the order.',
  ),
  buyerUpdates: fails('AUTH-4', 'Changes the status for buyers.'),
  buyerRefusedAfterWrite: fails('AUTH-4', 'Refuses a buyer with 403, after it changed the status.'),
  strangerUpdates: fails('AUTH-4', 'Changes the status for accounts that are no party.'),
  agentRefused: fails('AUTH-6', 'Refuses the agent of an order.'),
  filterLeaks: fails('VIS-1', 'Lists the orders of all accounts when filtered.'),
  getIgnoresOwner: fails('VIS-2', 'Returns an order to every account.'),
  globalNotifications: fails('VIS-3', 'Lists all accounts’ notifications.', 'EQV-1', 'EQV-3'),
  foreignMark: fails('VIS-4', 'Marks notifications of other accounts.'),
  // The shape of responses
  bareList: fails('FMT-1', 'Lists orders as an array without `data`.'),
  bareOrder: fails('FMT-1', 'Returns one order without `data`.'),
  textPlain: fails('FMT-2', 'Sends JSON as text/plain.'),
  idUnprefixed: fails('ORD-1', 'Creates IDs without `ord_`.', 'NTF-4'),
  upperStatus: fails('ORD-2', 'Spells the status of a new order PENDING.', 'GET-2'),
  sellerUnprefixed: fails('ORD-4', 'Lists the seller without `usr_`.', 'GET-2'),
  agentEmpty: fails('ORD-5', 'Writes an absent agent as an empty text.'),
  shoutedStatus: fails(
    'ORD-2',
    'Writes all statuses in upper case.',
    ...['LST-1', 'UPD-7', 'EVT-7', 'EVT-10'],
  ),
  agentAbsent: fails('ORD-10', 'Omits the agent when there is none.'),
  quantityText: fails('ORD-7', 'Writes the quantity as text.'),
  epochCreatedAt: fails('ORD-8', 'Writes createdAt of orders in milliseconds since 1970.'),
  localUpdatedAt: fails('ORD-9', 'Writes updatedAt of orders with the offset +02:00.'),
  // Creating orders
  fractionStored: fails('CRE-6', 'Creates an order of 1.5 units.', 'ORD-7'),
  quantityOne: fails('CRE-2', 'Orders one unit, whatever the quantity.'),
  clientStatus: fails('CRE-3', 'Takes the status of a new order from the request.'),
  quantityDefault: fails('CRE-5', 'Orders one unit when the quantity is missing.'),
  // Reading orders
  filterIgnored: fails('LST-1', 'Ignores the filter.', 'LST-3'),
  onlyPendingFiltered: fails('LST-1', 'Ignores all filters except `pending`.'),
  staleFilter: fails('LST-3', 'Filters by the first status of an order.', 'LST-1'),
  listStale: fails('GET-2', 'Lists orders with the updatedAt of their creation.'),
  inventedId: fails('GET-3', 'Returns the newest order for an unknown ID.'),
  // Changing the status
  notPersisted: fails(
    'UPD-1',
    'Responds with the new status, but does not store it.',
    'UPD-2',
    'EVT-10',
  ),
  updatedAtFixed: fails('UPD-2', 'Never changes updatedAt.'),
  createdAtRewritten: fails('UPD-3', 'Sets createdAt at every change.'),
  emptyAdvances: fails('UPD-4', 'Takes an empty body for `fulfilling`.'),
  unknownStored: fails('UPD-5', 'Stores `shipped` as a status.', 'ORD-2'),
  siblingsChange: fails('UPD-6', 'Changes all orders of the listing that have the same status.'),
  // Notifications
  noNotification: fails('NTF-1', 'Creates no notification.'),
  oldStatusInMessage: fails('NTF-8', 'Names the status before the change in the message.'),
  bornRead: fails('NTF-9', 'Creates notifications that are read.'),
  marksAll: fails('NTF-11', 'Marks all notifications of the account at once.'),
  marksForOthers: fails('NTF-11', 'Marks the notifications of all accounts about the order.'),
  falseMarks: fails('NTF-12', 'Marks a notification when `read` is false.'),
  trueToggles: fails('NTF-13', 'Makes a read notification unread when it is marked again.'),
  falseUnmarks: fails('NTF-13', 'Makes a notification unread when `read` is false.'),
  onlyActorNotified: fails('EQV-1', 'Notifies only the account that made the change.'),
  // Events
  strangersWebhook: fails('EQV-2', 'Delivers events to the webhooks of all accounts.', 'EQV-1'),
  typeForEvent: fails('EVT-2', 'Calls the field `type`.'),
  previousIsNew: fails('EVT-7', 'Writes the new status as the previous one.', 'EVT-9', 'EVT-10'),
  previousIsPending: fails('EVT-10', 'Writes `pending` as every previous status.'),
  refusalAnnounced: fails('EVT-12', 'Delivers an event although it refused a buyer.'),
  eventBeforeCommit: fails('EVT-13', 'Delivers the event 300 ms before it stores the change.'),
  eventBeforeLaterCommit: fails(
    'EVT-13',
    'Accepts a change with 202 and delivers the event, 300 ms before it stores the change.',
  ),
  createdTwice: fails('EVT-14', 'Builds the event of a new order twice.'),
  byteOrderMark: fails('EVT-2', 'Sends a byte order mark before the JSON of an event.'),
  deliveredTwice: fails('EVT-14', 'Delivers everything twice.'),
  acceptedRetried: fails('EVT-15', 'Takes 202 for a failure.'),
  unsubscribedKinds: fails('EVT-11', 'Delivers all kinds of events to every webhook.'),
  // Signatures
  upperHex: fails('SIG-2', 'Writes the signature in upper case.'),
  signsCompact: fails('SIG-3', 'Signs compact JSON, but sends it indented.'),
  keyIsWebhookId: fails('SIG-3', 'Signs with the ID of the webhook.'),
  oneSecret: fails('SIG-3', 'Signs with the secret of the first webhook.'),
  retriesSignedWithId: fails('SIG-3', 'Signs retries with the ID of the webhook.'),
  retriesUnsigned: fails('SIG-1', 'Signs only the first attempt.'),
  keyInDelivery: fails('SIG-4', 'Sends the API key of the account to the receiver.'),
  // Retries
  clientErrorsFinal: fails('RTY-1', 'Never retries after a 4xx.'),
  hangIsSuccess: fails('RTY-1', 'Takes a receiver that does not respond for a success.'),
  followsRedirects: fails('RTY-2', 'Follows redirects.'),
  retryRebuilt: fails('RTY-4', 'Rebuilds a retry from the present status.'),
  retriedAfterSuccess: fails('RTY-6', 'Retries on after a 2xx, if an attempt failed before.'),
  constantInterval: fails('RTY-5', 'Retries in constant intervals.'),
  givesUp: fails('RTY-5', 'Gives up after three attempts.'),
  createdAtRenewed: fails('RTY-3', 'Renews createdAt of the event for each retry.'),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
