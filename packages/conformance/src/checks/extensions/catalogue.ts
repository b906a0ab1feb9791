import type { CheckClass } from '../../report/report';

/** What a check of an extension is about. */
export interface Row {
  /** What a right service does. */
  title: string;
  /** What the check does, and what fails. */
  method: string;
  /** Defaults to derived. */
  class?: CheckClass;
  /** The name in `Tradepost-Extensions` without which it is not judged. Defaults to what shows the family. */
  needs?: string;
  /** Whether it judges what is hidden from the stranger, who must not be an operator then. */
  hides?: true;
}

/** What every check of the level `extensions` is about, in the order of reports. A file per family has the judges. */
// biome-ignore format: a table, whose rows are read together
export const extensionCatalogue = {
  'IDM-1': { title: 'Repeats the first response to a key, and creates one order and one event',
    method: 'Sends one POST /v1/orders twice with one Idempotency-Key, lists the orders, and waits for the events. Fails if the responses differ, or if there are two orders or two events.' },
  'IDM-2': { title: 'Creates one order for five simultaneous requests with one key',
    method: 'Sends one POST /v1/orders five times at once. Fails unless one order appears.' },
  'IDM-3': { title: 'Rejects another body with a used key',
    method: 'Sends another quantity with a used key. Fails if it is accepted or creates an order.' },
  'IDM-4': { title: 'Registers one webhook for each account that uses a key',
    method: 'Registers a webhook twice with the key of the buyer, and once with that of the seller, with one Idempotency-Key. Fails unless the first two are one and the third is another.' },
  'IDM-5': { title: 'Accepts a key again whose request was rejected',
    method: 'Sends a body without quantity, then the right one with the same key. Fails if that is rejected.' },
  'IFM-1': { title: 'Sends one ETag for each version of an order',
    method: 'Compares the ETag of POST and GET, then of PATCH and GET. Fails if one is absent, if they differ, or if the change leaves it.' },
  'IFM-2': { title: 'Rejects a change of an old version with 412, and sends no event of it',
    method: 'Sends an old ETag as If-Match, then makes another change and waits for its event. Fails if the status is not 412, if the order changed, or if an event of the rejected change arrives.' },
  'IFM-3': { title: 'Makes a change of the current version',
    method: 'Sends the current ETag as If-Match. Fails if the request is rejected or changes nothing.' },
  'IFM-4': { title: 'Lets one of two simultaneous changes of one version win',
    method: 'Requests cancelled and fulfilling at once with one ETag. Fails unless one is accepted and stays.' },
  'CUR-1': { title: 'Pages orders and notifications without repeating or losing one',
    method: 'Follows nextCursor of GET /v1/orders and GET /v1/notifications. Fails if one comes twice or is on no page.' },
  'CUR-2': { title: 'Returns null as the last nextCursor, and no page larger than its limit',
    method: 'Follows nextCursor to the end. Fails if the last one is not null, or a page is too large.' },
  'CUR-3': { title: 'Pages orders without repeating or losing one when another one is created meanwhile',
    method: 'Creates an order after the first page. Fails if an order is repeated or on no page.' },
  'CUR-4': { title: 'Keeps the filter over all pages',
    method: 'Follows nextCursor with status=pending. Fails if a page has an order with another status.' },
  'CUR-5': { title: 'Rejects a cursor that it did not create',
    method: 'Sends an invented text as cursor. Fails if it is accepted.' },
  'CUR-6': { hides: true, title: 'Returns no order of another account for its cursor',
    method: "Sends the buyer's nextCursor with the stranger's key. Fails if an order of the buyer comes back." },
  'PRB-1': { title: 'Sends every error as a problem with type, title, code and the HTTP status',
    method: 'Provokes six errors. Fails if one is not application/problem+json, lacks a member, or has another status.' },
  'PRB-2': { hides: true, title: 'Returns the same problem for a hidden order as for an absent one',
    method: 'Compares status, code, title and detail, without the ID. Fails if they differ.' },
  'PRB-3': { title: 'Shows no stack and no key in a problem',
    method: 'Searches the same errors for lines of a stack and for the keys of the profile.' },
  'RTE-1': { title: 'Sends RateLimit and RateLimit-Policy that can be parsed',
    method: 'Parses both headers of a response. Fails unless each quota has r, and each policy q.' },
  'RTE-2': { class: 'advice', title: 'Counts the requests in RateLimit',
    method: 'Sends ten requests. Advice if no quota becomes smaller from one to the next.' },
  'RTE-3': { title: 'Says in Retry-After when a limited client may try again',
    method: 'Sends requests of the stranger until a 429, if provokeRateLimit is true in the profile. Fails if it has no Retry-After.' },
  'WHM-1': { title: 'Lists and returns a webhook as it was registered',
    method: 'Registers a webhook, lists webhooks and gets it. Fails if URL or events differ.' },
  'WHM-2': { hides: true, title: 'Hides a webhook from other accounts',
    method: "Lists, gets, pauses and deletes the seller's webhook with the stranger's key. Fails if any works." },
  'WHM-3': { title: 'Shows the secret of a webhook in no later response',
    method: 'Gets, lists and updates a webhook. Fails if a response has its secret.' },
  'WHM-4': { title: 'Holds deliveries of a paused webhook and sends them when it is resumed',
    method: 'Pauses a webhook, changes an order and resumes it. Fails if a delivery arrives before, or none after.' },
  'WHM-5': { title: 'Sends waiting deliveries to the new URL of a webhook',
    method: 'Pauses a webhook, changes an order, sets another URL and resumes it. Fails unless that URL gets it.' },
  'WHM-6': { title: 'Sends nothing to a deleted webhook',
    method: 'Deletes a webhook and changes an order. Fails if a delivery arrives, or if the webhook can still be read.' },
  'WHM-7': { needs: 'webhooks.secrets', title: 'Signs with both secrets while one is staged, and with it alone once it is promoted',
    method: 'Stages a secret, changes an order, promotes the secret and changes another order. Fails unless webhook-signature has first a signature by each secret and then one by the new one, and Service-Signature is first by the old one and then by the new one.' },
  'WHM-8': { needs: 'webhooks.test', title: 'Signs a test event, marks it, and lists it nowhere',
    method: 'Requests a test event. Fails unless it is signed, with Tradepost-Test: true and TradepostTest in its orderId, or if notifications or, where offered, the event log have its order.' },
  'DLV-1': { title: 'Shows the attempts and the body of a delivery as they were sent',
    method: 'Rejects the first attempt, accepts the second. Fails unless the delivery has these two with their statuses, and the body that arrived.' },
  'DLV-2': { title: 'Returns the start of the next attempt as nextAttemptAt',
    method: 'Compares it with the arrival of the retry. Fails if they are more than 2 s apart by the `Date` of responses, beside the time in which the kit itself did not run.' },
  'DLV-3': { title: 'Ends the retries 24 hours after the event',
    method: 'Compares deadlineAt with createdAt of the event. Fails unless they are 24 hours apart.' },
  'DLV-4': { title: 'Replays a delivery with the same bytes and the same webhook-id, for another 24 hours',
    method: 'Replays the delivery. Fails if body or webhook-id differ, or the deadline is not 24 hours from then by the `Date` of responses.' },
  'DLV-5': { title: 'Hides a delivery from other accounts',
    method: "Lists, gets and replays the seller's delivery with the buyer's key. Fails if any works." },
  'EVL-1': { title: 'Lists each delivered event once in the log',
    method: 'Creates and changes an order. Fails unless each delivery has one entry with its ID and content.' },
  'EVL-2': { title: 'Returns every event once to a client that follows the cursors',
    method: 'Follows the log while 20 orders are created at once, and reads it again. Fails if an event is missing or repeated, or if the order differs.' },
  'EVL-3': { title: 'Lists the events of one order, oldest first',
    method: 'Creates and changes an order, and lists with its orderId. Fails if the list has others, or another order.' },
  'EVL-4': { title: 'Ends a wait when an event occurs',
    method: 'Waits 20 s for an event of an order, which then changes. Fails unless the response comes before, with the event.' },
  'EVL-5': { hides: true, title: 'Lists no event of other accounts in the log',
    method: "Reads the stranger's log after an order was created, also with its orderId. Fails if it has an event." },
  'STW-1': { title: 'Sends one webhook-id in all attempts of an event, and another one for another event',
    method: 'Rejects the first attempt. Fails if the retry has another webhook-id, or the next event the same.' },
  'STW-2': { title: 'Sends the time of each attempt as webhook-timestamp',
    method: 'Compares it with the arrival, also of a retry. Fails if they are more than 5 s apart by the `Date` of responses.' },
  'STW-3': { title: 'Signs ID, time and body in webhook-signature',
    method: 'Computes the v1 signature of each attempt. Fails if webhook-signature does not have it.' },
  'ACC-1': { title: 'Returns the kind of the account of a key',
    method: 'Sends GET /v1/account with each key. Fails if kind is not buyer, seller or agent, as in the profile.' },
  'ACC-2': { title: 'Returns the ID that orders have of the account',
    method: 'Compares it with the profile, or with the parties of an order. Fails if they differ.' },
} satisfies Record<string, Row>;

export type ExtensionId = keyof typeof extensionCatalogue;
