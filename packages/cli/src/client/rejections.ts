import { type AnyTradepostError, isTradepostError } from '@tradepost/sdk';

/** Whether a service rejects a request that has more than the API specification. */
export function isRejected(error: unknown): error is AnyTradepostError {
  return isTradepostError(error) && (error.status === 400 || error.status === 422);
}

/** Words for what a service does not have: a part of a pattern. */
export const unknownWords =
  '(?:unknown|unrecognized|unrecognised|unsupported|unexpected|additional|extra|not allowed)';
const unaccepted = `(?:${unknownWords}|not (?:supported|known|recognized|recognised|permitted))`;
const parameter =
  '(?:params?|parameters?|property|properties|keys?|fields?|query|arguments?|inputs?)';

const unknownParameterTexts = [
  // "unknown query parameter", "Unrecognized key: buyerId"
  new RegExp(`\\b${unknownWords} (?:\\w+ )?${parameter}\\b`, 'i'),
  // "parameter buyerId is not supported", "property buyerId should not exist"
  new RegExp(`\\b${parameter} (?:\\S+ )?(?:(?:is|are) ${unaccepted}|should not exist)\\b`, 'i'),
  // "buyerId is not allowed"
  /^(?:["'`]?\w+["'`]? )?(?:is )?not allowed\.?$/i,
];

/** Whether a text says that a parameter is unknown, as services and libraries word it. */
function saysUnknownParameter(text: string): boolean {
  return unknownParameterTexts.some((pattern) => pattern.test(text));
}

/**
 * Whether a service may have rejected a parameter that it does not know, rather than its value. One that lists
 * no issues may have.
 */
export function mayRejectParameter(error: unknown): error is AnyTradepostError {
  if (!isRejected(error)) return false;
  const detail: unknown = error.problem?.detail;
  return (
    listIssues(error).every(({ message }) => saysUnknownParameter(message)) ||
    (typeof detail === 'string' && saysUnknownParameter(detail))
  );
}

/** Lists what is wrong with a request, as far as the service says; empty if it does not. */
export function listIssues(error: AnyTradepostError) {
  return error.name === 'ValidationError' ? error.errors : [];
}
