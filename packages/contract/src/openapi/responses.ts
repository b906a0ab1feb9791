import { type AppRouteResponse, isAppRouteNoBody, isAppRouteOtherResponse } from '@ts-rest/core';
import * as z from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { extensionParts } from '../http/extension-parts';
import { extensions } from '../http/extensions';
import { headerNames, idempotencyKeyLifetime } from '../http/headers';
import type { ResponseHeader } from '../http/routes';
import { type ProblemCode, problemMediaType, problems, problemType } from '../problems/problem';
import { problemSchema } from '../problems/problem-schema';
import { operationExamples } from './examples';
import { buildLinks } from './links';
import { listProblems } from './operation-problems';
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

function describeExtensions(): string {
  return Object.entries(extensionParts)
    .map(([name, covers]) => `\`${name}\`: ${covers.join('; ')}.`)
    .join(' ');
}

const headerSchemas = {
  allow: describedHeader('allow', z.string(), 'The methods that the path supports.', 'GET, PATCH'),
  changed: describedHeader(
    'changed',
    z.enum(['true', 'false']).optional(),
    'Whether this request made the change: `false` if the order already had the status. Of any number of requests for one change, exactly one has `true`. An extension: a service may leave it out.',
    'true',
  ),
  deprecation: describedHeader(
    'deprecation',
    z.string(),
    'When the endpoint was deprecated: `@` and seconds since 1970 (RFC 9745).',
    '@1795253400',
  ),
  etag: describedHeader('etag', z.string(), 'Version of the order. Send it as `If-Match`.', '"3"'),
  extensions: describedHeader(
    'extensions',
    z.string(),
    `Present on every response: the extensions of the API that this service has, separated by commas. A service without it has none. ${describeExtensions()}`,
    extensions.join(', '),
  ),
  idempotency: describedHeader(
    'idempotency',
    z.int().min(1),
    'Present on every response: this service honours `Idempotency-Key`, and remembers a key for this number of seconds.',
    idempotencyKeyLifetime,
  ),
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
  orderVersion: describedHeader(
    'orderVersion',
    z.int().min(1).optional(),
    'Version of the order, the same as in its `ETag`. A proxy that compresses responses may remove the `ETag`: then send this in quotes as `If-Match`. An extension: a service may leave it out.',
    3,
  ),
  rateLimit: describedHeader(
    'rateLimit',
    z.string().optional(),
    'Requests left (`r`) and seconds until the window ends (`t`): of the API key, and of all keys of its account together. Source: the IETF draft "RateLimit header fields for HTTP".',
    '"requests"; r=599; t=60, "account"; r=2999; t=60',
  ),
  rateLimitPolicy: describedHeader(
    'rateLimitPolicy',
    z.string().optional(),
    'Requests (`q`) that the API key, and all keys of its account together, may make in a window of `w` seconds.',
    '"requests"; q=600; w=60, "account"; q=3000; w=60',
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
  const names: ResponseHeader[] = ['requestId', 'extensions', 'idempotency', ...own];
  // The limit is per key, so a response to a request without a valid key has none.
  if (status === 401) names.push('wwwAuthenticate');
  else names.push('rateLimit', 'rateLimitPolicy');
  if (status === 429 || status === 503) names.push('retryAfter');
  return z.object(
    Object.fromEntries(names.map((name) => [headerNames[name], headerSchemas[name]])),
  );
}

function problemExamples(codes: readonly ProblemCode[]) {
  const examples = codes.map((code) => {
    const { status, title } = problems[code];
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

function problemResponse(
  status: number,
  codes: readonly ProblemCode[],
  headers: ResponseHeader[],
): ZodOpenApiResponseObject {
  const described = codes.map((code) => `\`${code}\`: ${problems[code].title}.`);
  const [first = 'A problem.', ...more] = described;
  return {
    description: more.length === 0 ? first : described.map((code) => `- ${code}`).join('\n'),
    headers: responseHeaders(status, headers),
    content: { [problemMediaType]: { schema: problemSchema, ...problemExamples(codes) } },
  };
}

/** `OrderNotFoundProblem`; the suffix keeps it apart from the values of `ProblemCode` in generated clients. */
function nameResponse(codes: readonly ProblemCode[]): string {
  const toPascal = (code: string) =>
    code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `${codes.map(toPascal).join('Or')}Problem`;
}

const sharedProblemResponses = new Map<string, ZodOpenApiResponseObject>();

/** Returns one response for all routes whose problems of a status are the same. They refer to it. */
function shareProblemResponse(status: number, codes: readonly ProblemCode[]) {
  const id = nameResponse(codes);
  const shared = sharedProblemResponses.get(id) ?? { id, ...problemResponse(status, codes, []) };
  sharedProblemResponses.set(id, shared);
  return shared;
}

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
export function buildResponses(found: ListedRoute): ZodOpenApiResponsesObject {
  const { name, route, metadata } = found;
  const always: ResponseHeader[] = route.deprecated ? ['deprecation', 'sunset'] : [];
  const responses = Object.entries(route.responses).map(([key, response]) => {
    const status = Number(key);
    if (isProblem(response)) {
      const codes = listProblems(found, status);
      if (always.length > 0) return [key, problemResponse(status, codes, always)];
      return [key, shareProblemResponse(status, codes)];
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
