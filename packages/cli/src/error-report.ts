import { type AnyTradepostError, isTradepostError, type ProblemIssue } from '@tradepost/sdk';
import { AdvisedError } from './advised-error';
import { BulkError, type Failure } from './bulk-error';
import { CliError } from './cli-error';
import { hintOf } from './hint-of';
import { mayBeDone } from './may-be-done';
import { messageOf } from './message-of';

/** An error as programs read it: what `--output json` and `ndjson` print on stderr. */
export interface ErrorReport {
  /** What kind of failure it is: the service's code, or one of this side's. */
  code: string;
  /** What failed and why, in one text. */
  message: string;
  /** The answer's HTTP status; null when there was no answer. */
  status: number | null;
  /** The request's id, to name when asking for help; null when there is none. */
  requestId: string | null;
  /** What to do about it; null when there is nothing to say. */
  hint: string | null;
  /** What was wrong in particular: by field of the request, or by id when there were several. */
  errors: ProblemIssue[];
}

/** An error as people read it. */
export interface ErrorStory {
  /** What failed. */
  what: string;
  /** Why, line by line. */
  why: string[];
}

/** Tells what an error is, for programs (`report`) and for people (`story`). */
export function describeError(error: unknown): { report: ErrorReport; story: ErrorStory } {
  if (isTradepostError(error)) return describeTradepostError(error);
  if (error instanceof AdvisedError) {
    const { report, story } = describeError(error.cause);
    return { report: { ...report, hint: error.hint }, story };
  }
  if (error instanceof BulkError) return describeBulkError(error);
  const message = messageOf(error);
  if (error instanceof CliError) {
    return {
      report: localReport(error.code, message, error.hint),
      story: { what: message, why: [] },
    };
  }
  const stack = (error instanceof Error && error.stack) || '';
  const hint = 'This is a fault of tradepost itself. Please report it, with all that it says here.';
  return {
    report: localReport('unexpected', message, hint),
    story: { what: message, why: stack.split('\n').slice(1) },
  };
}

/** The report of a failure that no single answer of the service caused. */
function localReport(
  code: string,
  message: string,
  hint: string | null,
  errors: ProblemIssue[] = [],
): ErrorReport {
  return { code, message, status: null, requestId: null, hint, errors };
}

function describeTradepostError(error: AnyTradepostError): ReturnType<typeof describeError> {
  const { code, status, problem, method, path } = error;
  const message = messageOf(error);
  // It may be quoted from a problem, where anything may stand.
  const requestId = typeof error.requestId === 'string' ? error.requestId : null;
  const errors = error.name === 'ValidationError' ? error.errors : [];
  const report = { code, message, status, requestId, hint: hintOf(error), errors };
  if (code === 'aborted') return { report, story: { what: 'interrupted', why: [] } };
  if (problem === null) return { report, story: { what: message, why: [] } };
  // The service's own detail may well tell each of them.
  const issues = errors
    .filter((issue) => !problem.detail.includes(issue.message))
    .map((issue) => `${issue.path}: ${issue.message}`);
  const answered = `${method} ${path} was answered ${status} ${code}`;
  // A service may leave the title out, or send another thing: RFC 9457 asks for none of the fields.
  if (typeof problem.title !== 'string' || problem.title === '')
    return { report, story: { what: problem.detail, why: [...issues, answered] } };
  return { report, story: { what: problem.title, why: [problem.detail, ...issues, answered] } };
}

const someMayBeDone =
  'Those without a clear answer may have been done all the same: look before you repeat them.';

function describeBulkError(error: BulkError): ReturnType<typeof describeError> {
  const errors = error.failures.map((failure) => ({
    path: failure.id,
    message: describeError(failure.error).report.message,
  }));
  const lines = error.failures.map(lineOf);
  const hints = new Set(error.failures.map(hintForAny));
  const [common = null, ...others] = hints;
  const mayAnyBeDone = error.failures.some((failure) => mayBeDone(failure.error));
  const agreed = others.length === 0 ? common : mayAnyBeDone ? someMayBeDone : null;
  const hint = [agreed, error.hint].filter((part) => part !== null).join(' ') || null;
  const code = error.succeeded > 0 ? 'partial_failure' : 'all_failed';
  return {
    report: localReport(code, error.message, hint, errors),
    story: { what: error.message, why: shortened(lines) },
  };
}

/** The hint of a failure, as it holds for any of its kind. */
function hintForAny({ id, error }: Failure): string | null {
  return describeError(error).report.hint?.replaceAll(id, 'ID') ?? null;
}

function lineOf({ id, error }: Failure): string {
  const problem = isTradepostError(error) ? error.problem : null;
  const request = problem?.requestId ? ` (request ${problem.requestId})` : '';
  return `${id}: ${reasonOf(error)}${request}`;
}

/** Why something failed, in one text: as the service puts it, where it does. */
export function reasonOf(error: unknown): string {
  const problem = isTradepostError(error) ? error.problem : null;
  return problem?.detail ?? describeError(error).report.message;
}

/** So many failures are told one by one: the data on stdout, or the error as JSON, has them all. */
const shownFailures = 5;

function shortened(lines: string[]): string[] {
  const more = lines.length - shownFailures;
  return more > 0 ? [...lines.slice(0, shownFailures), `and ${more} more`] : lines;
}
