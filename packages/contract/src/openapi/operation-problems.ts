import { type ProblemCode, problemCodes, problems } from '../problems/problem';
import type { ListedRoute } from './routes';
import { schemaFields } from './routes';

const everyOperation: ProblemCode[] = [
  'malformed_request',
  'account_suspended',
  'validation_failed',
  'rate_limited',
  'internal_error',
  'overloaded',
  'shutting_down',
  'store_unavailable',
];

function listCodes(found: ListedRoute): Set<ProblemCode> {
  const { name, route, metadata } = found;
  const has = (place: 'query' | 'headers', ...fields: string[]) =>
    schemaFields(route[place] ?? {}, `${name}: its ${place}`).some(([field]) =>
      fields.includes(field),
    );
  const codes = new Set([...everyOperation, ...(metadata.problems ?? [])]);
  if (metadata.keys !== 'none') codes.add('missing_api_key').add('invalid_api_key');
  if (route.method !== 'GET' && metadata.keys === undefined) codes.add('read_only_api_key');
  if ('body' in route) {
    for (const code of ['malformed_json', 'body_too_large', 'unsupported_media_type'] as const) {
      codes.add(code);
    }
  }
  if (has('query', 'cursor', 'after')) codes.add('invalid_cursor');
  if (has('headers', 'idempotency-key')) codes.add('idempotency_key_reused');
  if (has('headers', 'if-match')) codes.add('precondition_failed');
  return codes;
}

/**
 * Lists the problem codes that an operation may respond with at a status: those that follow from what its request may
 * have, and its own.
 */
export function listProblems(found: ListedRoute, status: number): ProblemCode[] {
  const codes = listCodes(found);
  return problemCodes.filter((code) => problems[code].status === status && codes.has(code));
}
