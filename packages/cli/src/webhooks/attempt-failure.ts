import type { Delivery } from '@tradepost/sdk';

/** What kept an attempt from a 2xx, and what can be done. */
interface AttemptFailure {
  /** What happened, as the second half of a sentence. */
  reason: string;
  /** What to do, a sentence each. */
  advice: readonly string[];
}

/** By the names that the service gives to what keeps an attempt from its answer. */
const byError: Readonly<Record<string, AttemptFailure>> = {
  timeout: {
    reason: 'the receiver gave no whole answer within the time that an attempt may take',
    advice: [
      'Answer first and work afterwards: a receiver that does its work before it answers is too slow.',
    ],
  },
  dns_failed: {
    reason: 'the name of the host has no address',
    advice: ['Check the host in the URL, and that its name is known to public DNS servers.'],
  },
  dns_timeout: {
    reason: 'the DNS servers of the host gave no answer in time',
    advice: ['Check the DNS servers of the host.'],
  },
  connection_refused: {
    reason: 'nothing listens on that port of the host',
    advice: [
      'Check that the receiver runs, and that the port in the URL is the one it listens on.',
    ],
  },
  connect_timeout: {
    reason: 'no connection came about in time',
    advice: ['Check the firewall of the receiver: one that drops packets looks like this.'],
  },
  unreachable: {
    reason: 'there is no way to the address of the host',
    advice: ['Check the address behind the name of the host, and the firewall before it.'],
  },
  connection_reset: {
    reason: 'the receiver ended the connection before it began to answer',
    advice: ['Look into the log of the receiver, or of the proxy before it, for a crash.'],
  },
  tls_failed: {
    reason: 'TLS failed: the certificate does not verify, or the receiver speaks no TLS',
    advice: [
      'Check the certificate: that it is not expired, names this host, and is sent with its intermediate certificates.',
      'If the receiver speaks plain HTTP on that port, put something before it that speaks TLS.',
    ],
  },
  forbidden_address: {
    reason: 'the host leads to an address that is not public, and deliveries do not go there',
    advice: [
      'Use a host with a public address. For a receiver on your machine there is `tradepost webhooks listen`.',
    ],
  },
  forbidden_scheme: {
    reason: 'the URL begins with http://, and deliveries go to https:// alone',
    advice: ['Change the URL: `tradepost webhooks update ID --url https://…`.'],
  },
  forbidden_port: {
    reason: 'the URL names a port that deliveries do not go to',
    advice: ['Use port 443 or 8443: `tradepost webhooks update ID --url https://…`.'],
  },
  malformed_answer: {
    reason: 'what came back is no answer of HTTP/1',
    advice: ['Check that an HTTP server, and no other service, listens on that port.'],
  },
  answer_too_large: {
    reason: 'the answer went on and on',
    advice: [
      'Answer with a 204 and nothing else: what a receiver says beside the status is not read.',
    ],
  },
  answer_cut_short: {
    reason: 'the connection ended in the midst of the answer',
    advice: ['Its status counts all the same. Look for a crash of the receiver.'],
  },
  out_of_sockets: {
    reason: 'the service itself had no socket left',
    advice: ['This is no fault of the receiver: tell whoever runs the service.'],
  },
  stopped: {
    reason: 'the service was stopped in the midst of the attempt',
    advice: ['It is tried again at once. There is nothing to do.'],
  },
};

function byStatus(status: number): AttemptFailure {
  const answered = `the receiver answered ${status}`;
  if (status >= 300 && status < 400) {
    return {
      reason: `${answered}, a redirect, and redirects are never followed`,
      advice: [
        'Register the URL that it leads to: `tradepost webhooks update ID --url https://…`. A missing or extra slash at its end is a usual cause.',
      ],
    };
  }
  switch (status) {
    case 400:
      return {
        reason: `${answered}: it could not read the delivery, or refused its signature`,
        advice: [
          'Check the secret and the raw body: `tradepost webhooks verify` tells which of them is wrong.',
        ],
      };
    case 401:
    case 403:
      return {
        reason: `${answered}: it, or something before it, refuses who sends`,
        advice: [
          'Let deliveries through without a login: their signature proves who sends them.',
          'If the receiver refused the signature, `tradepost webhooks verify` tells why.',
        ],
      };
    case 404:
    case 410:
      return {
        reason: `${answered}: there is nothing at that path`,
        advice: ['Check the path: `tradepost webhooks update ID --url https://…` changes it.'],
      };
    case 405:
      return {
        reason: `${answered}: the path takes no POST`,
        advice: ['Let the receiver take POST there.'],
      };
    case 408:
    case 504:
      return {
        reason: `${answered}: it, or a proxy before it, was too slow`,
        advice: ['Answer first and work afterwards.'],
      };
    case 413:
      return {
        reason: `${answered}: the body is larger than it takes`,
        advice: ['Raise the limit of the receiver, or of the proxy before it.'],
      };
    case 415:
      return {
        reason: `${answered}: it does not take application/json`,
        advice: ['Let the receiver take application/json, as raw bytes.'],
      };
    case 429:
      return {
        reason: `${answered}: it is sent too much at once`,
        advice: [
          'A `Retry-After` in its answer is heeded. Let the limit be larger, or take what comes and work it off later.',
        ],
      };
    case 502:
    case 503:
      return {
        reason: `${answered}: the receiver is down behind its proxy, or overloaded`,
        advice: ['Check that the receiver runs. A `Retry-After` in its answer to a 503 is heeded.'],
      };
    default:
      return status >= 500
        ? {
            reason: `${answered}: it failed`,
            advice: ['Look into the log of the receiver at the time of the attempt.'],
          }
        : { reason: answered, advice: ['A delivery is taken when the answer is a 2xx.'] };
  }
}

/**
 * Says why the last attempt of a delivery failed. Null when there was none, or when it did not fail.
 * A name that this version does not know is passed on as it is.
 */
export function attemptFailure({
  lastStatus,
  lastError,
}: Pick<Delivery, 'lastStatus' | 'lastError'>): AttemptFailure | null {
  if (lastStatus !== null) {
    return lastStatus >= 200 && lastStatus < 300 ? null : byStatus(lastStatus);
  }
  if (lastError === null) return null;
  const [, name = '', detail = ''] = /^(\w+)(.*)$/s.exec(lastError) ?? [];
  const known = Object.hasOwn(byError, name) ? byError[name] : undefined;
  if (known === undefined) return { reason: `no answer came: ${lastError}`, advice: [] };
  return { ...known, reason: `${known.reason}${detail}` };
}

/** Why a delivery that is not tried any more failed, as the second half of a sentence. */
export function failureText(
  delivery: Pick<Delivery, 'lastStatus' | 'lastError' | 'attempts'>,
): string {
  if (delivery.attempts === 0) return 'its time was over before an attempt could be made';
  return attemptFailure(delivery)?.reason ?? 'the service does not say why';
}
