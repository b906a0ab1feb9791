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
      return issue.keys.map((key) => ({ path: [...keys, key].join('.'), message: issue.message }));
    }
    const missing = valueAt(source, keys) === undefined;
    const message = missing ? `is required: ${issue.message}` : issue.message;
    return [{ path: keys.map(String).join('.'), message }];
  });
}

const toldAtMost = 50;

/**
 * Tells all that was wrong with a request that the contract refused, field by field; of more than 50
 * faults, the first 50.
 */
export function validationTrouble(refused: Parts<Refused | null>, sent: Parts<unknown>): Trouble {
  const issues = [
    ...issuesOf(refused.pathParams, sent.pathParams),
    ...issuesOf(refused.query, sent.query),
    ...issuesOf(refused.headers, sent.headers),
    ...issuesOf(refused.body, sent.body),
  ].slice(0, toldAtMost);
  const told = issues.map(({ path, message }) => `${path || 'body'}: ${message}`);
  return { code: 'validation_failed', detail: `${told.join('. ')}.`, issues };
}
