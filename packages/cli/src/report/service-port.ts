import { isTradepostError } from '@tradepost/sdk';
import { findSettings } from '../config/settings';
import type { CliContext } from '../context';
import { type ErrorReport, getRootMessage } from './error-report';
import type { ConnectionFlags } from './hint';

/**
 * Completes the report of an error about the port of the service URL: it names the URL and where that comes from.
 * Only its scheme, host and port are shown. The SDK knows neither, since the rest may have a secret.
 */
export function explainPort(
  error: unknown,
  report: ErrorReport,
  context: CliContext,
  flags: ConnectionFlags,
): ErrorReport {
  const problem = describePortProblem(error);
  const found = problem === null ? null : findServiceUrl(context, flags);
  const [url, port = ''] = /^https?:\/\/[^/?#@\s]+:(\d+)(?=[/?#]|$)/i.exec(found?.url ?? '') ?? [];
  if (problem === null || url === undefined || found === null || !problem.isAbout(Number(port))) {
    return report;
  }
  const message = `${problem.start} ${url} (port ${port} ${problem.reason})`;
  const hints = [`Check ${found.source}: set another port.`];
  return { ...report, message, title: message, hints };
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
