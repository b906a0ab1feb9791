import type { oas31 } from 'zod-openapi';
import { maxKeysPerAccount } from '../accounts/key';
import { pageLimit, requestLimits } from '../http/endpoints';
import { maxHeaders } from '../http/message-schemas';
import { maxWebhooksPerAccount } from '../webhooks/webhook';

const count = (value: number) => value.toLocaleString('en-US');

const description = `
The core record is the order. It ties a buyer, a seller and optionally an agent to a listing and a
quantity. With the API key of a buyer, seller or agent account you can list, create, read and update
orders, list notifications and mark them read, and register an HTTPS endpoint that receives signed
event deliveries instead of polling.

**Requests and responses.** Bodies are JSON in both directions. A result is in \`data\`. A list also has
\`nextCursor\`: send it as \`cursor\` to get the next page, until it is null. A page has at most
${pageLimit.default} items unless \`limit\` is set, newest first. The exception is \`/v1/events\`, which
lists events oldest first: there \`nextCursor\` is never null, and is sent as \`after\`. Unknown body
fields and query parameters are rejected, so that a misspelled one is not silently ignored.

**What may be added.** Later versions may add fields to responses and deliveries, and values of \`status\`,
\`event\`, \`type\`, \`state\` and \`code\`. A generated client must accept them: otherwise one unknown value
makes a whole page unreadable. Generate it from \`openapi-tolerant.json\`, which the package
\`@tradepost/contract\` has and the reference server serves; the README of the package has the settings of
common generators.

**Errors.** Every error response is a problem document (RFC 9457). Branch on its \`code\`, show its
\`detail\`, and include its \`requestId\` when you contact support. An unknown path is a 404 with
\`route_not_found\`. A method that a path does not support is a 405 with \`method_not_allowed\` and
\`Allow\`.

**Retries.** A POST with an \`Idempotency-Key\` can be repeated safely: requests with the same key have
one effect and get the same response, for 24 hours.

**Limits.** A body has at most ${count(requestLimits.bodyBytes)} bytes (413), the request line and the headers together
${count(requestLimits.headerBytes)} bytes or ${maxHeaders} lines (431). Unless the operator set another
limit, an account has at most ${maxWebhooksPerAccount} webhooks (409
\`webhook_limit_reached\`) and ${maxKeysPerAccount} valid API keys (409 \`key_limit_reached\`). The requests of an API key, and of
all keys of an account together, are limited per minute (429); \`RateLimit\` says how many are left.

**Code samples.** They read \`TRADEPOST_BASE_URL\`, the base URL of the service, and \`TRADEPOST_API_KEY\` from the
environment. The Python samples need the package \`requests\`. API keys and the IDs of listings come from the
operator of the service; the other IDs are of the responses.

**Deliveries.** The service sends signed events to your HTTPS endpoint; see the webhooks of this document
(OpenAPI 3.1). Verify the signature of each delivery before you act on it.

**Extensions.** Everything marked \`x-extension\` is not part of the API specification. Another
implementation of the service may not have it, and a client must work without it. \`Tradepost-Extensions\`, a
header of every response, lists the extensions that a service has; without the header it has none.
`;

/** Builds the `info` of the document. Only OpenAPI 3.1 names licenses by an identifier; in 3.0, a URL is the way to say which it is. */
export function buildInfo(version: string): oas31.InfoObject {
  return {
    title: 'Tradepost: orders, notifications and webhooks',
    version: '1.0.0',
    description: description.trim(),
    contact: { name: 'The operator of the service' },
    license: {
      name: 'MIT',
      ...(version === '3.1.0'
        ? { identifier: 'MIT' }
        : { url: 'https://opensource.org/license/mit' }),
    },
  };
}

/** The base URL of the service. All paths are relative to it. */
export const servers: oas31.ServerObject[] = [
  {
    url: '{base_url}',
    description: 'The service that you use.',
    variables: {
      base_url: {
        default: 'http://127.0.0.1:4010',
        description: 'Base URL of the service. Defaults to a reference server on this machine.',
      },
    },
  },
];

/** How requests are authenticated. Source: API specification, "Authentication". */
export const bearer: oas31.SecuritySchemeObject = {
  type: 'http',
  scheme: 'bearer',
  description:
    'The API key of an account, without `Bearer`. The kind of the account limits what it may do: buyers create orders; sellers and agents update them.',
};
