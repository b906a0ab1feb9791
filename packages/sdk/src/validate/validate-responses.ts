import { endpoints } from '@tradepost/contract/schemas';
import type { ResponseValidator } from '@tradepost/sdk';
import { describeIssue } from './describe-issue';
import { type ResponseSchemas, responseSchemas } from './response-schemas';

const schemasByVerb: Record<string, Record<string, ResponseSchemas>> = responseSchemas;

/** The response schemas by method and route: `GET /v1/orders/:id`. */
const schemasByRoute = new Map(
  Object.entries(endpoints).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { method, path }]) => {
      return [`${method} ${path}`, schemasByVerb[noun]?.[verb]] as const;
    }),
  ),
);

/** If each of a hundred items is invalid, they have one cause: more issues would not help. */
const maxIssues = 50;

/**
 * Validates a successful response against the contract. Pass it to the client as its option `validate`.
 *
 * Unknown fields are allowed, and so is everything that the API specification leaves open: a list without
 * `nextCursor`, a created webhook with other fields, a notification of another type. A success status that the
 * contract does not have is an issue.
 *
 * @returns the first 50 issues. `path` is the position in the body (`data.0.status`, or `body` for the whole
 *   body) or `status`. Empty when the response is valid, when it is an error, and when the contract does not
 *   have the route.
 */
export const validateResponses: ResponseValidator = ({ method, route, status, body }) => {
  const schemas = schemasByRoute.get(`${method} ${route}`);
  if (schemas === undefined || status < 200 || status > 299) return [];
  const schema = schemas[status];
  if (schema === undefined) {
    const expected = Object.keys(schemas).join(' or ');
    const message = `must be ${expected} for ${method} ${route} (got ${status})`;
    return [{ path: 'status', message }];
  }
  const issues = schema?.safeParse(body).error?.issues ?? [];
  return issues.slice(0, maxIssues).map((issue) => describeIssue(issue, body));
};
