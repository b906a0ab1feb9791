import { type AnyTradepostError, isTradepostError } from '@tradepost/sdk';
import { capitalize, ErrorWithHint, OptionRejectedError } from '../../errors/cli-error';
import { mayHaveBeenApplied } from '../../errors/exit-codes';
import { getHints } from '../../report/error-hints';
import type { NamesMode } from './order-view';

/** Whether a service rejects a request that has more than the API specification. */
export function isRejected(error: unknown): error is AnyTradepostError {
  return isTradepostError(error) && (error.status === 400 || error.status === 422);
}

/** Words for what a service does not have. */
const unknown =
  '(?:unknown|unrecognized|unrecognised|unsupported|unexpected|additional|extra|not allowed)';
const unaccepted = `(?:${unknown}|not (?:supported|known|recognized|recognised|permitted))`;
const parameter =
  '(?:params?|parameters?|property|properties|keys?|fields?|query|arguments?|inputs?)';

const unknownParameterTexts = [
  // "unknown query parameter", "Unrecognized key: buyerId"
  new RegExp(`\\b${unknown} (?:\\w+ )?${parameter}\\b`, 'i'),
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

/** Adds to a rejection what of the request the service may not have: names, and options by their flag. */
export function explainRejection(
  error: unknown,
  names: NamesMode,
  ...options: readonly string[]
): unknown {
  const extensions = [...options, ...(names === 'always' ? ['names'] : [])];
  if (!isRejected(error) || extensions.length === 0) return error;
  const what = capitalize(extensions.join(' and '));
  return new ErrorWithHint(
    error,
    extensions.length > 1 || names === 'always'
      ? `${what} are extensions of the API that this service may not have: omit them.`
      : `${what} is an extension of the API that this service may not have: omit it.`,
  );
}

/** More words count for a field of a body, since the text must name the field too. */
const unknownField = `(?:${unknown}|not (?:permitted|supported|known)|no longer (?:allowed|permitted|supported|known))`;

/** The same sentence names the reason and says that it is not known. */
const unknownReason = new RegExp(
  `\\b${unknownField}\\b[^.;]*\\breason\\b|\\breason\\b[^.;]*\\b${unknownField}\\b`,
  'i',
);

/**
 * Explains the error of a change with a reason, which a service without this extension may reject.
 *
 * @returns the error, with a hint if the reason is or may be what the service rejected
 */
export function explainRejectedReason(error: unknown): unknown {
  if (!isRejected(error) || mayHaveBeenApplied(error)) return error;
  const hints = getHints(error);
  if (isReasonBlamed(error)) {
    const hint = 'This service does not accept --reason, an extension of the API: omit it.';
    return new OptionRejectedError(error, true, ...hints, hint);
  }
  // It says what is wrong, and does not blame the reason.
  if (error.problem !== null) return error;
  const hint = 'If this service does not have --reason, an extension of the API, omit it.';
  return new OptionRejectedError(error, false, ...hints, hint);
}

function isReasonBlamed(error: AnyTradepostError): boolean {
  const issues = listIssues(error);
  if (issues.length > 0) {
    return issues.some(
      ({ path, message }) => /(^|[./])reason$/.test(path) || unknownReason.test(message),
    );
  }
  const text = error.problem?.detail ?? JSON.stringify(error.body) ?? '';
  return unknownReason.test(text);
}

function listIssues(error: AnyTradepostError) {
  return error.name === 'ValidationError' ? error.errors : [];
}
