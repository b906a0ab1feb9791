import { endpoints, type ProblemIssue } from '@tradepost/contract/schemas';
import type * as z from 'zod';
import type { AnswerCheck } from '../internal/answer-check';
import { type AnswerSchemas, answerSchemas } from './answer-schemas';

const schemasByVerb: Record<string, Record<string, AnswerSchemas>> = answerSchemas;

/** What may be answered, by method and route: `GET /v1/orders/:id`. */
const schemasByRoute = new Map(
  Object.entries(endpoints).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { method, path }]) => {
      return [`${method} ${path}`, schemasByVerb[noun]?.[verb]] as const;
    }),
  ),
);

/** When each of a hundred items is wrong, it is for one reason, not for hundreds. */
const toldAtMost = 50;

/**
 * Checks a successful answer against the contract: give it to the client as its option `validate`.
 *
 * Fields that the contract does not know are no fault, and neither is what the service interface leaves
 * to the service: a list without `nextCursor`, a created webhook with fields of another kind, a
 * notification of another type. A status that the endpoint does not succeed with is one.
 *
 * @returns what is wrong: with `path`, where in the body (`data.0.status`, or `body` when that as a whole
 *   is wrong) or `status`; of more than 50 faults the first 50. Nothing when the answer holds, when it is
 *   an error, and when the contract does not know the route.
 */
export const validateAnswers: AnswerCheck = ({ method, route, status, body }) => {
  const schemas = schemasByRoute.get(`${method} ${route}`);
  if (schemas === undefined || status < 200 || status > 299) return [];
  const schema = schemas[status];
  if (schema === undefined) {
    const expected = Object.keys(schemas).join(' or ');
    const message = `must be ${expected} when ${method} ${route} succeeds, and is ${status}`;
    return [{ path: 'status', message }];
  }
  const issues = schema?.safeParse(body).error?.issues ?? [];
  return issues.slice(0, toldAtMost).map((issue) => describe(issue, body));
};

function describe({ path, message }: z.core.$ZodIssue, body: unknown): ProblemIssue {
  const missing = valueAt(body, path) === undefined;
  return {
    path: path.map(String).join('.') || 'body',
    message: missing ? `is missing: ${message}` : message,
  };
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}
