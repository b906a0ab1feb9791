import type { ProblemIssue } from '@tradepost/contract';
import type { Trouble } from './problems';

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** Names that the contract does not know, where those are what is wrong. */
  keys?: readonly string[];
}

interface Refused {
  issues: readonly Issue[];
}

/** A request in its four parts: as it was sent, or as the contract refused them. */
interface Parts<Part> {
  pathParams: Part;
  query: Part;
  headers: Part;
  body: Part;
}

/** Of a name that the client made up: enough to recognise it by, so that no answer outgrows its request. */
const longestName = 64;

function keysOf(issue: Issue): PropertyKey[] {
  return (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
}

function valueAt(source: unknown, keys: PropertyKey[]): unknown {
  let value = source;
  for (const key of keys) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}

function issuesOf(part: Refused | null, source: unknown): ProblemIssue[] {
  return (part?.issues ?? []).flatMap((issue) => {
    const keys = keysOf(issue);
    if (issue.keys !== undefined) {
      return issue.keys.map((key) => ({
        path: [...keys, key.slice(0, longestName)].join('.'),
        message: issue.message,
      }));
    }
    const value = valueAt(source, keys);
    const message = value === undefined ? `is required: ${issue.message}` : issue.message;
    return [{ path: keys.map(String).join('.'), message }];
  });
}

/** A query parameter that is sent twice arrives as a list, and no other fault of it is worth telling. */
function toldOnce(issue: ProblemIssue, query: unknown): ProblemIssue {
  return Array.isArray(valueAt(query, [issue.path]))
    ? { path: issue.path, message: 'was sent more than once; send it once' }
    : issue;
}

const toldAtMost = 50;
const toldInDetail = 5;

/**
 * Tells all that was wrong with a request that the contract refused, field by field; of more than 50
 * faults, the first 50.
 */
export function validationTrouble(refused: Parts<Refused | null>, sent: Parts<unknown>): Trouble {
  const issues = [
    ...issuesOf(refused.pathParams, sent.pathParams),
    ...issuesOf(refused.query, sent.query).map((issue) => toldOnce(issue, sent.query)),
    ...issuesOf(refused.headers, sent.headers),
    ...issuesOf(refused.body, sent.body),
  ].slice(0, toldAtMost);
  const told = issues
    .slice(0, toldInDetail)
    .map(({ path, message }) => `${path || 'body'}: ${message}`);
  if (issues.length > toldInDetail) told.push('More in errors');
  return { code: 'validation_failed', detail: `${told.join('. ')}.`, issues };
}
