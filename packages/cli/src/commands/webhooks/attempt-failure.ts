import type { Delivery } from '@tradepost/sdk';
import type { Hint } from '../../errors/cli-error';

/** Why an attempt failed, and what to do. */
interface AttemptFailure {
  /** The second half of a sentence. */
  reason: string;
  hints: readonly Hint[];
}

/** Stands for the ID of the webhook in hints. */
export const webhookIdPlaceholder = 'WEBHOOK_ID';

function changeUrl(text: string, url = 'https://…'): Hint {
  return { text, command: 'webhooks update', args: [webhookIdPlaceholder, '--url', url] };
}

const respondFirst = 'Respond first and process the event afterwards.';
const checkRunning = 'Check that the receiver is running';
const verifyHint: Hint = {
  text: 'If the receiver rejected the signature, find out why with',
  command: 'webhooks verify',
  local: true,
};

const serverShutdown: AttemptFailure = {
  reason: 'the service was stopped during the attempt',
  hints: ['It is retried at once. There is nothing to do.'],
};

/** By the attempt errors of the service. */
const byError: Readonly<Record<string, AttemptFailure>> = {
  timeout: {
    reason: 'the receiver sent no complete response in time',
    hints: [respondFirst],
  },
  dns_failed: {
    reason: 'the host name has no address',
    hints: ['Check the host in the URL, and that public DNS servers know it.'],
  },
  dns_timeout: {
    reason: 'the DNS servers of the host did not respond in time',
    hints: ['Check the DNS servers of the host.'],
  },
  connection_refused: {
    reason: 'the connection was refused',
    hints: [`${checkRunning}, and that the port in the URL is right.`],
  },
  connect_timeout: {
    reason: 'the connection timed out',
    hints: ['Check the firewall of the receiver: it may drop packets.'],
  },
  unreachable: {
    reason: 'the address of the host is unreachable',
    hints: ['Check the address of the host, and its firewall.'],
  },
  connection_reset: {
    reason: 'the receiver closed the connection before it responded',
    hints: ['Check the log of the receiver, or of its proxy, for a crash.'],
  },
  tls_failed: {
    reason: 'TLS failed: the certificate is not valid, or the receiver does not support TLS',
    hints: [
      'Check the certificate: expiry date, host name and intermediate certificates.',
      'If the receiver uses plain HTTP on that port, put a TLS proxy in front of it.',
    ],
  },
  forbidden_address: {
    reason: 'the host resolves to an address that is not public, which is not allowed',
    hints: [
      'Use a host with a public address.',
      { text: 'For a receiver on your machine, use', command: 'webhooks listen' },
    ],
  },
  forbidden_scheme: {
    reason: 'the URL begins with http://, and only https:// is allowed',
    hints: [changeUrl('Change the URL:')],
  },
  forbidden_port: {
    reason: 'the URL has a port that is not allowed',
    hints: [changeUrl('Use port 443 or 8443:')],
  },
  malformed_response: {
    reason: 'the response is not HTTP/1',
    hints: ['Check that an HTTP server listens on that port.'],
  },
  response_too_large: {
    reason: 'the response was too large',
    hints: ['Respond with 204 and no body: only the status counts.'],
  },
  response_truncated: {
    reason: 'the connection ended in the middle of the response',
    hints: ['The status counts all the same. Check the receiver for a crash.'],
  },
  socket_exhaustion: {
    reason: 'the service had no socket left',
    hints: ['The receiver is not at fault. Notify the operator of the service.'],
  },
  server_shutdown: serverShutdown,
  stopped: serverShutdown,
};

/** By the status of the response. */
const byStatus: Readonly<Record<number, AttemptFailure>> = {
  400: {
    reason: 'it could not read the delivery, or rejected its signature',
    hints: [
      { text: 'Check the secret and the raw body with', command: 'webhooks verify', local: true },
    ],
  },
  401: {
    reason: 'it, or a proxy in front of it, requires authentication',
    hints: ['Accept deliveries without a login: the signature authenticates them.', verifyHint],
  },
  404: {
    reason: 'the path does not exist',
    hints: [changeUrl('Check the path. To change it, run')],
  },
  405: { reason: 'the path does not accept POST', hints: ['Accept POST there.'] },
  408: { reason: 'it, or a proxy in front of it, was too slow', hints: [respondFirst] },
  413: {
    reason: 'the body is too large for it',
    hints: ['Raise the limit of the receiver, or of its proxy.'],
  },
  415: {
    reason: 'it does not accept application/json',
    hints: ['Accept application/json, and read the raw bytes.'],
  },
  429: {
    reason: 'it limits the rate',
    hints: ['Raise the limit, or queue events. `Retry-After` is respected.'],
  },
  503: {
    reason: 'the receiver is down or overloaded',
    hints: [`${checkRunning}. \`Retry-After\` with a 503 is respected.`],
  },
};

/** Statuses with the same meaning. */
const aliases: Readonly<Record<number, number>> = { 403: 401, 410: 404, 504: 408, 502: 503 };

function explainStatus(status: number): AttemptFailure {
  const returned = `the receiver returned ${status}`;
  if (status >= 300 && status < 400) {
    return {
      reason: `${returned}, a redirect, which is not followed`,
      hints: [changeUrl('Often a slash at the end is missing or extra. Register the target:')],
    };
  }
  const known = byStatus[aliases[status] ?? status];
  if (known !== undefined) return { ...known, reason: `${returned}: ${known.reason}` };
  if (status >= 500) {
    return {
      reason: `${returned}: it failed`,
      hints: ['Check the log of the receiver at the time of the attempt.'],
    };
  }
  return { reason: returned, hints: ['Only a 2xx response accepts a delivery.'] };
}

/**
 * Explains why the last attempt of a delivery failed. Unknown errors are shown as they are.
 *
 * @returns null if there was no attempt, or if it succeeded
 */
export function getAttemptFailure({
  lastStatus,
  lastError,
}: Pick<Delivery, 'lastStatus' | 'lastError'>): AttemptFailure | null {
  if (lastStatus !== null) {
    return lastStatus >= 200 && lastStatus < 300 ? null : explainStatus(lastStatus);
  }
  if (lastError === null) return null;
  const [, name = '', detail = ''] = /^(\w+)(.*)$/s.exec(lastError) ?? [];
  const known = Object.hasOwn(byError, name) ? byError[name] : undefined;
  if (known === undefined) return { reason: `no response: ${lastError}`, hints: [] };
  return { ...known, reason: `${known.reason}${detail}` };
}

/** Explains why a delivery has failed for good, as the second half of a sentence. */
export function formatFailure(
  delivery: Pick<Delivery, 'lastStatus' | 'lastError' | 'attemptCount'>,
): string {
  if (delivery.attemptCount === 0) return 'it expired before the first attempt';
  return getAttemptFailure(delivery)?.reason ?? 'unknown reason';
}
