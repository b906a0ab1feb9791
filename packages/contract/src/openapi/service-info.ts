import type { oas31 } from 'zod-openapi';
import { pageLimit } from '../http/page';

const description = `
The core record is the order, which ties a buyer, a seller and optionally an agent to a listing and
a quantity. With the API key of a buyer, seller or agent account you list, create, read and update
orders, list notifications and mark them read, and register an HTTPS endpoint that receives signed
event deliveries instead of polling.

**Requests and results.** Bodies are JSON in both directions. A result is in \`data\`; a list has
\`nextCursor\` beside it: send it as \`cursor\` to get the next page, until it is null. A page holds
${pageLimit.default} items unless \`limit\` says otherwise, newest first. The events of
\`/v1/events\` alone run from oldest to newest and without end: there \`nextCursor\` is never null,
and is sent as \`after\`. Unknown body fields and query parameters are refused, so that a misspelt
one is noticed. Be ready for fields that you do not know in results.

**Errors.** Every error answer is a problem document (RFC 9457). Decide on its \`code\`, show its
\`detail\`, and name its \`requestId\` when you ask for help. A path that does not exist is a 404 with
\`route_not_found\`; a method that a path does not take is a 405 with \`method_not_allowed\` and
\`Allow\`.

**Repeating requests.** Send an \`Idempotency-Key\` with a POST and it is safe to send it again: two
requests with one key have one effect and one answer, for 24 hours.

**Extensions.** What is marked \`x-extension\` goes beyond the service interface. A service that has
only the interface does not have it; a client must work without it.
`;

/** The `info` of the document. */
export const info: oas31.InfoObject = {
  title: 'Tradepost: orders, notifications and webhooks',
  version: '1.0.0',
  description: description.trim(),
  license: { name: 'MIT', identifier: 'MIT' },
};

/** Where the service is: every path is relative to its base URL. */
export const servers: oas31.ServerObject[] = [
  {
    url: '{base_url}',
    description: 'The service that you use.',
    variables: {
      base_url: {
        default: 'http://127.0.0.1:4010',
        description: "The service's base URL; unless told, a reference server on this machine.",
      },
    },
  },
];

/** How requests are authenticated. Source: the interface, "Authentication". */
export const bearer: oas31.SecuritySchemeObject = {
  type: 'http',
  scheme: 'bearer',
  description:
    'The API key of an account. The kind of the account limits what it may do: buyers create orders, sellers and agents update them.',
};
