import type { AnyTradepostError } from '@tradepost/sdk';
import { omitNamesHint } from '../../client/check-orders';
import { isRejected, listIssues, mayRejectParameter, unknownWords } from '../../client/rejections';
import { ErrorWithHint, OptionRejectedError } from '../../errors/cli-error';
import { mayHaveBeenApplied } from '../../errors/exit-codes';
import { getHints } from '../../report/error-hints';

/** Says about a rejection which extension of the API the service may not have. */
export function explainRejection(error: unknown, extension: 'names' | '--history'): unknown {
  if (!mayRejectParameter(error)) return error;
  const hint =
    extension === 'names'
      ? omitNamesHint
      : `${extension} is an extension of the API that this service may not have: omit it.`;
  return new ErrorWithHint(error, hint);
}

/** More words count for a field of a body, since the text must name the field too. */
const unknownField = `(?:${unknownWords}|not (?:permitted|supported|known)|no longer (?:allowed|permitted|supported|known))`;

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
