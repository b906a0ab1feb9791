import {
  type AnyTradepostError,
  isTradepostError,
  type Problem,
  type ProblemIssue,
} from '@tradepost/sdk';
import {
  BulkError,
  CliError,
  ErrorWithHint,
  type Failure,
  getErrorMessage,
  type Hint,
  truncate,
} from '../errors/cli-error';
import { mayHaveBeenApplied } from '../errors/exit-codes';
import { getHints, getRootCode, listCauses } from './error-hints';
import { formatHints, replaceArg } from './hint';

/** An error with all that is known about it. Programs get it as JSON, people as text. */
export interface ErrorReport {
  code: string;
  message: string;
  status: number | null;
  requestId: string | null;
  hints: readonly Hint[];
  errors: ProblemIssue[];
  title: string;
  details: string[];
}

export function describeError(error: unknown): ErrorReport {
  if (isTradepostError(error)) return describeTradepostError(error);
  if (error instanceof ErrorWithHint) {
    return { ...describeError(error.cause), hints: error.hints };
  }
  if (error instanceof BulkError) return describeBulkError(error);
  if (error instanceof CliError) return localReport(error.code, error.message, error.hints);
  const stack = (error instanceof Error && error.stack) || '';
  return {
    ...localReport('unexpected', getErrorMessage(error), [
      'This is a bug in tradepost. Please report it with this output.',
    ]),
    details: stack.split('\n').slice(1),
  };
}

function localReport(code: string, message: string, hints: readonly Hint[]): ErrorReport {
  const none = { status: null, requestId: null, errors: [], details: [] };
  return { code, message, hints, title: message, ...none };
}

const connectionFailures: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'connection reset',
    UND_ERR_SOCKET: 'connection closed',
    ENOTFOUND: 'host not found',
    EAI_AGAIN: 'DNS lookup failed',
    ETIMEDOUT: 'connection timed out',
    UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
    UND_ERR_ABORTED: 'rejected by the proxy',
    UND_ERR_INVALID_ARG: 'rejected by the proxy',
    EHOSTUNREACH: 'host unreachable',
    ENETUNREACH: 'network unreachable',
  }),
);

/**
 * Returns the message of an error. Those of the SDK give advice that names its options, which users of the
 * CLI do not know: the hints have their own.
 */
export function getRequestErrorMessage(error: unknown): string {
  if (!isTradepostError(error) || error.problem !== null) return getErrorMessage(error);
  const { code, method, path, status, message } = error;
  switch (code) {
    case 'invalid_configuration':
      return message.startsWith('baseUrl') ? 'The service URL is not valid' : message;
    case 'timeout':
      return `${method} ${path} timed out: no complete response in time`;
    case 'connection_failed': {
      const reason = getRootCode(error.cause);
      const isSent = error.name === 'ConnectionError' && !error.notSent;
      const what = isSent ? `${method} ${path} got no complete response` : 'Could not connect';
      return `${what}${getTarget(error.cause)} (${connectionFailures.get(reason) ?? (reason || getRootMessage(error))})`;
    }
    case 'redirected': {
      const target = error.headers?.get('location') ?? null;
      const to = target === null ? '' : ` to ${quote(target)}`;
      return `${method} ${path} was redirected${to}. The redirect was not followed, so that the API key is not sent elsewhere`;
    }
    case 'invalid_response':
      return `${method} ${path} returned ${status}, but its body is not the expected JSON: ${quote(error.body)}`;
    case 'response_too_large':
      return `${method} ${path} got a response that is too large: it was not read to its end`;
    case 'http_error':
      return `${method} ${path} failed with ${status}, and its body is not a problem document: ${quote(error.body)}`;
    default:
      return message;
  }
}

/** Returns the message of the innermost cause. */
export function getRootMessage(error: Error): string {
  return listCauses(error).at(-1)?.message ?? error.message;
}

/**
 * Quotes what another program than the service sent: its first characters, on one line; not a body that may
 * have a secret, as the registration of a webhook does.
 */
function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (/secret|whsec/i.test(text)) return '(not shown: may have a secret)';
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line === '' ? 'an empty body' : truncate(line, 200);
}

function getTarget(error: unknown): string {
  for (const cause of listCauses(error)) {
    const { address, port, hostname } = cause as {
      address?: string;
      port?: number;
      hostname?: string;
    };
    if (address !== undefined && port !== undefined) {
      return ` to ${address.includes(':') ? `[${address}]` : address}:${port}`;
    }
    if (hostname !== undefined) return ` to ${hostname}`;
  }
  return '';
}

function describeTradepostError(error: AnyTradepostError): ErrorReport {
  const { code, status, problem, method, path } = error;
  const message = getRequestErrorMessage(error);
  // It may come from a problem, where it may have any type.
  const requestId = typeof error.requestId === 'string' ? error.requestId : null;
  const errors = error.name === 'ValidationError' ? error.errors : [];
  const report = { code, message, status, requestId, hints: getHints(error), errors };
  if (code === 'aborted') return { ...report, title: 'Interrupted', details: [] };
  if (problem === null) return { ...report, title: message, details: [] };
  // The detail of the service may list them already.
  const issues = errors
    .filter((issue) => !problem.detail.includes(issue.message))
    .map((issue) => `${issue.path}: ${issue.message}`);
  const details = [...issues, `${method} ${path} returned ${status} ${code}`];
  // Every field of a problem is optional (RFC 9457).
  if (typeof problem.title !== 'string' || problem.title === '') {
    return { ...report, title: problem.detail, details };
  }
  return { ...report, title: problem.title, details: [problem.detail, ...details] };
}

/** Failures that are shown one by one. Stdout, or the error as JSON, has all of them. */
const maxFailuresShown = 5;

function describeBulkError({
  message,
  succeeded,
  failures,
  areShown,
  hints,
}: BulkError): ErrorReport {
  const errors = failures.map(({ id, error }) => ({
    path: id,
    message: describeError(error).message,
  }));
  const lines = areShown ? [] : failures.map(formatFailure);
  const rest = lines.length - maxFailuresShown;
  const code = succeeded > 0 ? 'partial_failure' : 'all_failed';
  return {
    ...localReport(code, message, [...sharedHints(failures), ...hints]),
    errors,
    details: rest > 0 ? [...lines.slice(0, maxFailuresShown), `and ${rest} more`] : lines,
  };
}

/** The hints that all failures have in common. Commands in them have the ID of the first one, so that they can be copied. */
function sharedHints(failures: readonly Failure[]): readonly Hint[] {
  const all = failures.map(({ id, error }) => ({ id, hints: describeError(error).hints }));
  const [first, ...others] = all.map(({ id, hints }) => formatHints(replaceArg(hints, id, 'ID')));
  if (others.every((hints) => hints === first)) return all[0]?.hints ?? [];
  return failures.some(({ error }) => mayHaveBeenApplied(error))
    ? ['Some changes may have been applied. Check before you repeat them.']
    : [];
}

function formatFailure({ id, error }: Failure): string {
  const problem = getProblem(error);
  const request = problem?.requestId ? ` (request ${problem.requestId})` : '';
  return `${id}: ${describeReason(error)}${request}`;
}

/** Returns why something failed, in one text: in the words of the service where it has some. */
export function describeReason(error: unknown): string {
  return getProblem(error)?.detail ?? describeError(error).message;
}

function getProblem(error: unknown): Problem | null {
  const cause = error instanceof ErrorWithHint ? error.cause : error;
  return isTradepostError(cause) ? cause.problem : null;
}
