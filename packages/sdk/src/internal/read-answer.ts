import type { ProblemIssue } from '@tradepost/contract/wire';
import { TradepostError } from '../errors/tradepost-error';
import { UnreadableAnswerError } from '../errors/unreadable-answer-error';
import type { AnswerCheck } from './answer-check';
import { type Attempt, attemptError } from './attempt';
import type { IncomingAnswer } from './attempt-end';
import type { Call } from './call';
import { excerpt } from './excerpt';
import { parseJson } from './parse-json';
import { reasonOf } from './reason-of';

/** How many issues a message names; `errors` has all. */
const namedIssues = 3;

/**
 * Takes the result out of a 2xx answer.
 *
 * @throws {TradepostError} when it cannot be taken for one.
 */
export function readAnswer<Result>(
  { status, requestId, text }: IncomingAnswer,
  attempt: Attempt,
  call: Call<Result>,
  validate: AnswerCheck | undefined,
): Result {
  const body = parseJson(text);
  const result = call.read(body, status);
  const answered = `was answered with ${status}, but`;
  if (result === null) {
    const what = `${answered} its body is not the JSON that the contract says: ${excerpt(attempt.blotOut(text))}. Check that baseUrl leads to the service itself.`;
    throw attemptError(UnreadableAnswerError, attempt, what, {
      code: 'unreadable_answer',
      status,
      requestId,
    });
  }
  if (!validate) return result;
  let errors: readonly ProblemIssue[];
  try {
    errors = validate({ method: attempt.method, route: call.endpoint.path, status, body });
  } catch (cause) {
    const what = `was carried out, but the validate option threw: ${reasonOf(cause)}.`;
    throw attemptError(TradepostError, attempt, what, {
      code: 'hook_failed',
      status,
      requestId,
      cause,
    });
  }
  if (errors.length === 0) return result;
  const what = `${answered} not as the contract has it: ${nameIssues(errors)}. The request itself was carried out.`;
  throw attemptError(UnreadableAnswerError, attempt, what, {
    code: 'contract_mismatch',
    status,
    requestId,
    errors,
  });
}

function nameIssues(issues: readonly ProblemIssue[]): string {
  const named = issues.slice(0, namedIssues).map(({ path, message }) => `${path} ${message}`);
  const more = issues.length - named.length;
  return named.join('; ') + (more > 0 ? ` (and ${more} more)` : '');
}
