import * as z from 'zod';
import { headerNames } from '../http/headers';
import type { AnswerHeader } from '../http/route-notes';

function described<Schema extends z.ZodType>(
  name: AnswerHeader,
  schema: Schema,
  description: string,
  example: z.output<Schema>,
) {
  return schema.meta({ examples: [example], header: { id: headerNames[name], description } });
}

const answerHeaders = {
  allow: described('allow', z.string(), 'The methods that the path takes.', 'GET, PATCH'),
  deprecation: described(
    'deprecation',
    z.string(),
    'When the endpoint was deprecated: `@` and seconds since 1970 (RFC 9745).',
    '@1795253400',
  ),
  etag: described('etag', z.string(), 'Version of the order: send it as `If-Match`.', '"3"'),
  idempotentReplayed: described(
    'idempotentReplayed',
    z.literal('true').optional(),
    'There when this answer repeats the first answer to its `Idempotency-Key`.',
    'true',
  ),
  location: described(
    'location',
    z.string(),
    'Where the created resource is.',
    '/v1/orders/ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
  ),
  rateLimit: described(
    'rateLimit',
    z.string().optional(),
    'Requests left (`r`) and seconds until the window ends (`t`). Source: the IETF draft "RateLimit header fields for HTTP".',
    '"requests"; r=599; t=60',
  ),
  rateLimitPolicy: described(
    'rateLimitPolicy',
    z.string().optional(),
    'Requests (`q`) that the API key may make in a window of `w` seconds.',
    '"requests"; q=600; w=60',
  ),
  requestId: described(
    'requestId',
    z.string(),
    'Id of the request: name it when you ask for help. A sane one in the request is kept.',
    'req_6f1f7a862f0c4f439f6e0f0c2b8a9d11',
  ),
  retryAfter: described('retryAfter', z.int().min(0), 'Seconds to wait before the next try.', 30),
  sunset: described(
    'sunset',
    z.string().optional(),
    'When the endpoint stops to answer: an HTTP date (RFC 8594).',
    'Mon, 30 Nov 2026 00:00:00 GMT',
  ),
  wwwAuthenticate: described(
    'wwwAuthenticate',
    z.string(),
    'How to authenticate (RFC 6750).',
    'Bearer realm="tradepost"',
  ),
} satisfies Record<AnswerHeader, z.ZodType>;

/** The headers of an answer as one schema: what its status calls for, and those of its own. */
export function answerHeadersOf(status = 0, own: AnswerHeader[] = []) {
  const names: AnswerHeader[] = ['requestId', ...own];
  // The limit is per key, so an answer to a request without a good key has none.
  if (status === 401) names.push('wwwAuthenticate');
  else names.push('rateLimit', 'rateLimitPolicy');
  if (status === 429 || status === 503) names.push('retryAfter');
  return z.object(
    Object.fromEntries(names.map((name) => [headerNames[name], answerHeaders[name]])),
  );
}
