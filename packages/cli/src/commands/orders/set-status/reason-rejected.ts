import { type AnyTradepostError, isTradepostError } from '@tradepost/sdk';
import { OptionRejectedError } from '../../../errors/cli-error';
import { mayHaveBeenApplied } from '../../../errors/exit-codes';
import { getHints } from '../../../report/error-hints';

/** Words for a field that a service does not have. */
const unknown =
  '(unknown|unrecognized|unsupported|unexpected|additional|extra|(not|no longer) (allowed|permitted|supported|known))';

/** The same sentence names the reason and says that it is not known. */
const unknownReason = new RegExp(
  `\\b${unknown}\\b[^.;]*\\breason\\b|\\breason\\b[^.;]*\\b${unknown}\\b`,
  'i',
);

/**
 * Explains the error of a change with a reason, which a service without this extension may reject.
 *
 * @returns the error, with a hint if the reason is or may be what the service rejected
 */
export function explainRejectedReason(error: unknown): unknown {
  if (!isTradepostError(error) || mayHaveBeenApplied(error)) return error;
  if (error.status !== 400 && error.status !== 422) return error;
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
  const issues = error.name === 'ValidationError' ? error.errors : [];
  if (issues.length > 0) {
    return issues.some(
      ({ path, message }) => /(^|[./])reason$/.test(path) || unknownReason.test(message),
    );
  }
  const text = error.problem?.detail ?? JSON.stringify(error.body) ?? '';
  return unknownReason.test(text);
}
