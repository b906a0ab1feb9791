import { isTradepostError } from '@tradepost/sdk';
import { CliError, ErrorWithHint, getErrorMessage } from '../../../errors/cli-error';

/**
 * Explains the error of a change with a reason, which a service without this extension may reject.
 *
 * @returns `reason_rejected` if the service blames the reason, otherwise the error, perhaps with a hint
 */
export function explainRejectedReason(error: unknown): unknown {
  if (!isTradepostError(error) || (error.status !== 400 && error.status !== 422)) return error;
  const issues = error.name === 'ValidationError' ? error.errors : [];
  const blamed = [...issues.flatMap(({ path, message }) => [path, message]), error.problem?.detail];
  if (blamed.some((text) => /\breason\b/i.test(text ?? ''))) {
    return new CliError(
      'reason_rejected',
      `The service rejected the reason: ${getErrorMessage(error)}`,
      'A reason is an extension of the API that this service may not have: omit --reason.',
    );
  }
  return issues.length > 0
    ? error
    : new ErrorWithHint(
        error,
        'If this service does not have --reason, an extension of the API, omit it.',
      );
}
