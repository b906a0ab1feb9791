import { type AppRouteResponse, isAppRouteNoBody, isAppRouteOtherResponse } from '@ts-rest/core';
import * as z from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { headerNames } from '../http/headers';
import type { ResponseHeader } from '../http/routes';
import { problemCodes, problemMediaType, problems, problemType } from '../problems/problem';
import { codesForStatus, problemSchema } from '../problems/problem-schema';
import { operationExamples } from './examples';
import { buildLinks } from './links';
import { asZodSchema, type ListedRoute } from './routes';

const exampleRequestId = 'req_6f1f7a862f0c4f439f6e0f0c2b8a9d11';

function describedHeader<Schema extends z.ZodType>(
  name: ResponseHeader,
  schema: Schema,
  description: string,
  example: z.output<Schema>,
) {
  return schema.meta({ examples: [example], header: { id: headerNames[name], description } });
}

const headerSchemas = {
  allow: describedHeader('allow', z.string(), 'The methods that the path supports.', 'GET, PATCH'),
  deprecation: describedHeader(
    'deprecation',
    z.string(),
    'When the endpoint was deprecated: `@` and seconds since 1970 (RFC 9745).',
    '@1795253400',
  ),
  etag: describedHeader('etag', z.string(), 'Version of the order. Send it as `If-Match`.', '"3"'),
  idempotentReplayed: describedHeader(
    'idempotentReplayed',
    z.literal('true').optional(),
    'Present when this response repeats the first response to its `Idempotency-Key`.',
    'true',
  ),
  location: describedHeader(
    'location',
    z.string(),
    'Path of the created resource.',
    '/v1/orders/ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
  ),
  rateLimit: describedHeader(
    'rateLimit',
    z.string().optional(),
    'Requests left (`r`) and seconds until the window ends (`t`). Source: the IETF draft "RateLimit header fields for HTTP".',
    '"requests"; r=599; t=60',
  ),
  rateLimitPolicy: describedHeader(
    'rateLimitPolicy',
    z.string().optional(),
    'Requests (`q`) that the API key may make in a window of `w` seconds.',
    '"requests"; q=600; w=60',
  ),
  requestId: describedHeader(
    'requestId',
    z.string(),
    'ID of the request. Include it when you contact support. A valid one of the request is kept.',
    exampleRequestId,
  ),
  retryAfter: describedHeader(
    'retryAfter',
    z.int().min(0),
    'Seconds to wait before the next request.',
    30,
  ),
  sunset: describedHeader(
    'sunset',
    z.string().optional(),
    'When the endpoint stops working: an HTTP date (RFC 8594).',
    'Mon, 30 Nov 2026 00:00:00 GMT',
  ),
  wwwAuthenticate: describedHeader(
    'wwwAuthenticate',
    z.string(),
    'How to authenticate (RFC 6750).',
    'Bearer realm="tradepost"',
  ),
} satisfies Record<ResponseHeader, z.ZodType>;

/** Builds the schema of a response's headers: those that its status requires, and its own. */
function responseHeaders(status = 0, own: ResponseHeader[] = []) {
  const names: ResponseHeader[] = ['requestId', ...own];
  // The limit is per key, so a response to a request without a valid key has none.
  if (status === 401) names.push('wwwAuthenticate');
  else names.push('rateLimit', 'rateLimitPolicy');
  if (status === 429 || status === 503) names.push('retryAfter');
  return z.object(
    Object.fromEntries(names.map((name) => [headerNames[name], headerSchemas[name]])),
  );
}

function problemExamples(status: number) {
  const examples = codesForStatus(status).map((code) => {
    const { title } = problems[code];
    const detail = `${title}.`;
    const value = {
      type: problemType(code),
      title,
      status,
      detail,
      code,
      requestId: exampleRequestId,
    };
    return [code, { summary: title, value }];
  });
  return { examples: Object.fromEntries(examples) };
}

function problemResponse(status: number, headers: ResponseHeader[]): ZodOpenApiResponseObject {
  const codes = codesForStatus(status).map((code) => `\`${code}\`: ${problems[code].title}.`);
  const [first = 'A problem.', ...more] = codes;
  return {
    description: more.length === 0 ? first : codes.map((code) => `- ${code}`).join('\n'),
    headers: responseHeaders(status, headers),
    content: { [problemMediaType]: { schema: problemSchema, ...problemExamples(status) } },
  };
}

/** One response for each status of a problem. Routes refer to it. */
const sharedProblemResponses = new Map<number, ZodOpenApiResponseObject>(
  problemCodes.map((code) => {
    const { status } = problems[code];
    return [status, { id: `Problem${status}`, ...problemResponse(status, []) }];
  }),
);

const otherProblemResponse: ZodOpenApiResponseObject = {
  id: 'OtherProblem',
  description: 'Any other problem, such as a 408 when the request took too long to arrive.',
  headers: responseHeaders(),
  content: { [problemMediaType]: { schema: problemSchema } },
};

const successDescriptions = new Map([
  [201, 'Created.'],
  [202, 'Accepted. The work is done after this response.'],
  [204, 'Success, without a body.'],
]);

function isProblem(response: AppRouteResponse): boolean {
  return isAppRouteOtherResponse(response) && response.body === problemSchema;
}

function buildContent(response: AppRouteResponse, where: string, example: object | undefined) {
  if (isAppRouteNoBody(response)) return {};
  const { contentType, body } = isAppRouteOtherResponse(response)
    ? response
    : { contentType: 'application/json', body: response };
  const schema = asZodSchema(body, where);
  return { content: { [contentType]: { schema, ...(example !== undefined && { example }) } } };
}

/** Builds the responses of a route by status, and `default` for all others. */
export function buildResponses({ name, route, metadata }: ListedRoute): ZodOpenApiResponsesObject {
  const always: ResponseHeader[] = route.deprecated ? ['deprecation', 'sunset'] : [];
  const responses = Object.entries(route.responses).map(([key, response]) => {
    const status = Number(key);
    if (isProblem(response)) {
      const shared = always.length === 0 ? sharedProblemResponses.get(status) : undefined;
      return [key, shared ?? problemResponse(status, always)];
    }
    const documented: ZodOpenApiResponseObject = {
      description: successDescriptions.get(status) ?? 'Success.',
      headers: responseHeaders(status, [...metadata.responseHeaders, ...always]),
      ...buildContent(
        response,
        `${name}: the body of its ${status}`,
        operationExamples[metadata.operationId]?.response,
      ),
      ...buildLinks(metadata.operationId),
    };
    return [key, documented];
  });
  return { ...Object.fromEntries(responses), default: otherProblemResponse };
}
