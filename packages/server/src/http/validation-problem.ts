import type { ProblemIssue } from '@tradepost/contract';
import type { Trouble } from './problems';

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
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

function isMissing(source: unknown, keys: PropertyKey[]): boolean {
  let value = source;
  for (const key of keys) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value === undefined;
}

function issuesOf(part: Refused | null, source: unknown): ProblemIssue[] {
  return (part?.issues ?? []).map((issue) => {
    const keys = keysOf(issue);
    const whole = keys.length === 0 && (source === undefined || source === null);
    if (whole) return { path: '', message: 'is required: a JSON object' };
    const message = isMissing(source, keys) ? `is required: ${issue.message}` : issue.message;
    return { path: keys.map(String).join('.'), message };
  });
}

/** Tells all that was wrong with a request that the contract refused, field by field. */
export function validationTrouble(refused: Parts<Refused | null>, sent: Parts<unknown>): Trouble {
  const issues = [
    ...issuesOf(refused.pathParams, sent.pathParams),
    ...issuesOf(refused.query, sent.query),
    ...issuesOf(refused.headers, sent.headers),
    ...issuesOf(refused.body, sent.body),
  ];
  const told = issues.map(({ path, message }) =>
    path === '' ? `The body ${message}` : `${path} ${message}`,
  );
  return { code: 'validation_failed', detail: `${told.join('; ')}.`, issues };
}
