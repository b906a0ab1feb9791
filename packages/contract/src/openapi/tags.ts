import type { oas31 } from 'zod-openapi';

/** The tag of the deliveries: a receiver implements these operations, and the service calls them. */
export const receiverTag = 'receivers';

/** What the operations of each tag are for. */
const descriptions = new Map([
  ['orders', 'Orders tie a buyer, a seller and optionally an agent to a listing and a quantity.'],
  [
    'notifications',
    'The polling equivalent of events: what happened to the orders of the account.',
  ],
  [
    'webhooks',
    'A webhook is a registered HTTPS endpoint that receives signed deliveries. Registering one is part of the API specification; managing it is an extension.',
  ],
  ['deliveries', 'What was sent to the webhooks of the account, and how it ended. An extension.'],
  [
    'events',
    'The events that the account may see, in order, for programs that cannot receive deliveries. An extension.',
  ],
  ['partners', 'The accounts with which the account has traded. An extension.'],
  ['account', 'The account that the API key belongs to. An extension.'],
  ['summary', 'The state of the account at a glance. An extension.'],
  ['keys', 'The API keys of the account. An extension.'],
  ['signInCodes', 'Codes for links with which people sign in. An extension.'],
  ['sessions', 'API keys for a few hours, of people who signed in. An extension.'],
  [
    receiverTag,
    'What your own receiver implements: the service sends it these requests. Do not send them to the service.',
  ],
]);

/** Builds the `tags` of the document, each once and with its description. */
export function buildTags(names: string[]): oas31.TagObject[] {
  return [...new Set(names)].map((name) => {
    const description = descriptions.get(name);
    return { name, ...(description !== undefined && { description }) };
  });
}
