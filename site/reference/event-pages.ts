import { allEventTypes, type EventType } from '../../packages/contract/src/events/event';
import {
  describeRecipients,
  type EventFacts,
  eventFacts,
  type RelatedEvent,
} from '../../packages/contract/src/events/event-facts';
import { code, escapeText, fence, list, type PageText, paragraphs, table } from './markdown';
import { type SampleDelivery, sampleDelivery } from './sample-delivery';
import { fieldTable, type JsonSchema } from './schema-fields';
import type { Schemas } from './schema-pages';

const pageName = (type: EventType) => `${type.replace(/[._]/g, '-')}.md`;

/** Returns the path of the page about a schema of an event: that of the event, or the overview. */
export function eventPath(file: string): string {
  const type = allEventTypes.find((one) => file === `events/${one}.json`);
  return `events/${type === undefined ? 'index.md' : pageName(type)}`;
}

const link = (type: EventType) => `[${code(type)}](./${pageName(type)})`;

const listRelated = (related: readonly RelatedEvent[]) =>
  list(related.map(({ event, when }) => `${link(event)}: if ${escapeText(when)}.`));

const describeRecipient = (kind: EventFacts['recipients'][number], { subject }: EventFacts) =>
  `the ${kind} of the ${subject}${kind === 'agent' ? ', if there is one' : ''}`;

function getSchema(schemas: Schemas, type: EventType): JsonSchema {
  const schema = schemas.get(`events/${type}.json`);
  if (schema === undefined) throw new Error(`The contract has no JSON Schema of ${type}.`);
  return schema;
}

/** Writes a program that handles an event: it logs each field of its data. */
export function handlerProgram(type: EventType, schema: JsonSchema): string {
  const data = Object.values(schema.$defs ?? {}).find(({ properties }) => properties);
  const fields = (data?.required ?? []).map((name) => `data.${name}`);
  return `import { createMemoryDedupeStore, webhookReceiver } from '@tradepost/sdk/webhooks';

const receiver = webhookReceiver({
  secret: process.env.TRADEPOST_WEBHOOK_SECRET,
  requireTimestamp: true,
  dedupe: createMemoryDedupeStore(),
  on: {
    '${type}': async ({ data }, delivery) => {
      console.log(
        ${['delivery.id', ...fields].join(',\n        ')},
      );
    },
  },
  onUnhandled: 'ignore',
});

export default { fetch: receiver.fetch };
`;
}

function formatRequest({ headers, body }: SampleDelivery): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ['POST /tradepost HTTP/1.1', 'Host: receiver.example', ...lines, '', body].join('\n');
}

function describeOrder(type: EventType): string {
  const { hasOrderVersion, subject } = eventFacts[type];
  const version = hasOrderVersion
    ? 'To keep the newest state of an order, ignore a delivery whose `orderVersion`, in `Tradepost-Position`, is not higher than the one that you have, or read the order when an event arrives. Events of the same change have the same `orderVersion`; `sequence` tells which came first.'
    : `It has no \`orderVersion\`, because it is about a ${subject}: of two, the one with the higher \`sequence\`, in \`Tradepost-Position\`, is the later one.`;
  return `Deliveries may arrive in any order and more than once: several are sent at the same time, and one that fails is sent again for up to 24 hours. Handle each \`webhook-id\` once. ${version} Without these headers, which are an extension, read the current state. The event log, \`GET /v1/events\`, is in order.`;
}

async function eventPage(type: EventType, schemas: Schemas): Promise<PageText> {
  const facts = eventFacts[type];
  const schema = getSchema(schemas, type);
  const sample = await sampleDelivery(type);
  const file = `events/${type}.json`;
  return {
    path: `events/${pageName(type)}`,
    title: type,
    group: 'events',
    description: schema.description ?? '',
    body: paragraphs(
      escapeText(facts.cause),
      '## Who gets it',
      `The webhooks of these accounts that subscribe to ${code(type)}, and their notifications and event logs:`,
      list(facts.recipients.map((kind) => describeRecipient(kind, facts))),
      '## Payload',
      fieldTable(schema),
      'Later versions may add fields, and values to lists of values: ignore what you do not know.',
      '## Sample delivery',
      `A request as your endpoint receives it. The secret ${code(sample.secret)} verifies it, at the time ${code(new Date(sample.sentAt * 1_000).toISOString())}: a verifier that compares \`webhook-timestamp\` with its clock rejects it today.`,
      fence('http', formatRequest(sample)),
      'The body, formatted:',
      fence('json', JSON.stringify(JSON.parse(sample.body), null, 2)),
      '## Handle it',
      fence('ts', handlerProgram(type, schema)),
      facts.cameWith.length > 0 ? '## Events of the same change' : '',
      listRelated(facts.cameWith),
      '## Events that may follow',
      listRelated(facts.mayFollow),
      '## Order of arrival',
      describeOrder(type),
      '## JSON Schema',
      `[${code(`${type}.json`)}](../schemas/${file}), also ${code(`@tradepost/contract/schemas/${file}`)}.`,
      fence('json', JSON.stringify(schema, null, 2)),
    ),
  };
}

/** Writes the catalogue of events: an overview, and a page for each event type. */
export async function eventPages(schemas: Schemas): Promise<PageText[]> {
  const rows = allEventTypes.map((type) => [
    link(type),
    escapeText(getSchema(schemas, type).description ?? ''),
    escapeText(describeRecipients(type)),
  ]);
  const overview: PageText = {
    path: 'events/index.md',
    title: 'Events',
    group: 'events',
    description: 'Every event type: when it happens, who gets it, and its payload.',
    body: paragraphs(
      'An event says that something happened. The service posts it to each webhook that subscribes to its type, signed with the secret of the webhook; it also makes a notification for each account that gets it, and an entry in the event log.',
      table(['Event', 'When', 'Who gets it'], rows),
      '## The envelope',
      'The body of every delivery has `event`, `createdAt` and `data`. There is no field `type`. [`any.json`](../schemas/events/any.json) is a JSON Schema that accepts all events, also those of types that later versions add.',
      '## Order and duplicates',
      'Deliveries may arrive in any order and more than once. The page of each event says how to handle that.',
    ),
  };
  return [overview, ...(await Promise.all(allEventTypes.map((type) => eventPage(type, schemas))))];
}
