import { isTradepostError } from '@tradepost/sdk';
import { findSettings } from '../config/settings';
import type { CliContext } from '../context';
import { BulkError, CliError } from '../errors/cli-error';
import { describeError, type ErrorReport, getRootMessage } from './error-report';
import type { ConnectionFlags } from './hint';

/**
 * Describes an error. If it is about the port of the service URL, the report names the URL and where that comes from.
 * Only its scheme, host and port are shown. The SDK knows neither, since the rest may have a secret.
 */
export function describeErrorOfService(
  error: unknown,
  context: CliContext,
  flags: ConnectionFlags,
): ErrorReport {
  if (error instanceof BulkError) return describeError(explainFailures(error, context, flags));
  const report = describeError(error);
  const explained = explainPort(error, context, flags);
  if (explained === null) return report;
  const { message, hints } = explained;
  return { ...report, message, title: message, hints };
}

function explainFailures(error: BulkError, context: CliContext, flags: ConnectionFlags): BulkError {
  const failures = error.failures.map((failure) => {
    const explained = explainPort(failure.error, context, flags);
    return explained === null ? failure : { ...failure, error: explained };
  });
  const copy = new BulkError(error.message, error.succeeded, failures, ...error.hints);
  copy.areShown = error.areShown;
  return copy;
}

/** Returns what to say about an error of the port; null for any other error. */
function explainPort(error: unknown, context: CliContext, flags: ConnectionFlags): CliError | null {
  const problem = describePortProblem(error);
  if (problem === null) return null;
  const found = findServiceUrl(context, flags);
  const [url, port = ''] = /^https?:\/\/[^/?#@\s]+:(\d+)(?=[/?#]|$)/i.exec(found?.url ?? '') ?? [];
  if (url === undefined || found === null || !problem.isAbout(Number(port))) return null;
  const message = `${problem.start} ${url} (port ${port} ${problem.reason})`;
  return new CliError('usage', message, `Check ${found.source}: set another port.`);
}

/** What is wrong if it is the port: how the message begins, and why the port is unusable. */
interface PortProblem {
  start: string;
  reason: string;
  isAbout: (port: number) => boolean;
}

function describePortProblem(error: unknown): PortProblem | null {
  if (!isTradepostError(error)) return null;
  if (error.code === 'invalid_configuration') {
    return {
      start: 'The service URL is not valid:',
      reason: 'is larger than 65535',
      isAbout: (port) => port > 65_535,
    };
  }
  // Source: the Fetch standard, "port blocking".
  if (error.code === 'connection_failed' && getRootMessage(error) === 'bad port') {
    const reason = 'is reserved for another protocol';
    return { start: 'Could not connect to', reason, isAbout: () => true };
  }
  return null;
}

function findServiceUrl(
  context: CliContext,
  flags: ConnectionFlags,
): { url: string; source: string } | null {
  const { TRADEPOST_BASE_URL: envUrl } = context.env;
  if (flags.baseUrl) return { url: flags.baseUrl.trim(), source: '--base-url' };
  if (envUrl?.trim() && flags.profile === undefined) {
    return { url: envUrl.trim(), source: 'TRADEPOST_BASE_URL' };
  }
  try {
    const { baseUrl, profile } = findSettings(context, flags);
    return baseUrl === null ? null : { url: baseUrl, source: `the profile '${profile}'` };
  } catch {
    // The error that is reported says more.
    return null;
  }
}
