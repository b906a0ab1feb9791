import { eventView } from '../commands/events/event-view';
import { notificationView } from '../commands/notifications/notification-view';
import { orderView } from '../commands/orders/order-view';
import { deliveryView } from '../commands/webhooks/delivery-view';
import { webhookView } from '../commands/webhooks/webhook-view';
import { statusOutcomeView } from '../status-change/status-change';
import { orderChangeView } from '../watch/order-change';

const rules = `stdout holds data and nothing else. Notes, questions, progress and errors are on stderr.

  --output table   for people, the default; it fits the terminal, and a pipe gets everything
  --output json    one document: an array for a list, an object for a single thing
  --output ndjson  one object a line, as they come
  --output csv     with a heading; a text that a spreadsheet would take for a formula gets a ' before it
  --fields a,b     these fields alone, in this order, in every format
  --jq EXPRESSION  what jq 1.8, which is built in, makes of the JSON: of json the whole document, of
                   ndjson each object; a string is printed without its quotes

A list that was cut says so on stderr; --fail-if-truncated makes that exit code 8. With json and ndjson
an error is one line of JSON on stderr:

  { "error": { "code", "message", "status", "requestId", "hint", "errors": [{ "path", "message" }] } }

What the JSON of each kind has, as the service sends it, is what --fields can name:
`;

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  order: orderView.fields,
  notification: notificationView.fields,
  webhook: webhookView.fields,
  delivery: deliveryView.fields,
  event: eventView.fields,
  'orders set-status': statusOutcomeView.fields,
  'orders watch': orderChangeView.fields,
};

/** The text of `tradepost help output`. */
export function outputTopic(): string {
  const width = Math.max(...Object.keys(fieldsOf).map((name) => name.length));
  const lines = Object.entries(fieldsOf).map(
    ([name, fields]) => `  ${name.padEnd(width)}  ${fields.join(' ')}`,
  );
  return [rules, ...lines, ''].join('\n');
}
