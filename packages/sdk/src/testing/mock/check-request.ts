import type { ProblemIssue } from '@tradepost/contract/wire';
import { checkObject, createPatternCheck } from './check-fields';
import { MockProblem } from './problem';
import type { Route } from './routes';

/** The parts of a request that are checked by the contract. */
export interface RequestParts {
  /** A list for a parameter that was sent more than once. */
  query: Readonly<Record<string, string | string[]>>;
  ifMatch: string | undefined;
  idempotencyKey: string | undefined;
  body: unknown;
}

const checkIfMatch = createPatternCheck(
  /^\s*(\*|(W\/)?"[\x21\x23-\x7e]*"(\s*,\s*(W\/)?"[\x21\x23-\x7e]*")*)\s*$/,
  'must be * or the ETag of the order, including its quotes, such as "3"',
);

const checkIdempotencyKey = createPatternCheck(
  /^[\x21-\x7e]{1,255}$/,
  'must be 1 to 255 visible ASCII characters',
);

const maxIssues = 50;
const maxIssuesInDetail = 5;

/**
 * Checks a request by the contract of its endpoint.
 *
 * @throws {MockProblem} `validation_failed`, with all issues.
 */
export function checkRequest(route: Route, parts: RequestParts): void {
  const issues = [
    ...checkQuery(route, parts),
    ...checkHeaders(route, parts),
    ...checkRequestBody(route, parts.body),
  ].slice(0, maxIssues);
  if (issues.length === 0) return;
  const sentences = issues
    .slice(0, maxIssuesInDetail)
    .map(({ path, message }) => `${path || 'body'}: ${message}`);
  if (issues.length > maxIssuesInDetail) sentences.push('More in errors');
  throw new MockProblem('validation_failed', `${sentences.join('. ')}.`, issues);
}

function checkQuery({ query: fields = {} }: Route, { query }: RequestParts): ProblemIssue[] {
  const issues = checkObject(query, fields, 'query parameter').map((issue) =>
    Array.isArray(query[issue.path])
      ? { path: issue.path, message: 'was sent more than once; send it once' }
      : issue,
  );
  if (!('after' in fields && 'after' in query && 'since' in query)) return issues;
  const message = 'send either after (continue a list) or since (start a list), not both';
  return [...issues, { path: 'since', message }];
}

function checkHeaders(route: Route, { ifMatch, idempotencyKey }: RequestParts): ProblemIssue[] {
  if (route.method === 'PATCH' && ifMatch !== undefined && route.path.startsWith('/v1/orders')) {
    return checkIfMatch(ifMatch, 'if-match');
  }
  if (route.method === 'POST' && idempotencyKey !== undefined) {
    return checkIdempotencyKey(idempotencyKey, 'idempotency-key');
  }
  return [];
}

function checkRequestBody(route: Route, body: unknown): ProblemIssue[] {
  if (route.body === undefined) return [];
  const value = route.emptyBody ? (body ?? {}) : body;
  const issues = checkObject(value, route.body, 'field');
  const message = issues.length === 0 && route.checkBody?.(value as object);
  return message ? [{ path: '', message }] : issues;
}
