export type Action =
  | {
      type: 'replay';
      deliveryId: string;
      text: string;
    }
  | {
      type: 'retry';
      webhookId: string;
      text: string;
    }
  | {
      type: 'resume';
      webhookId: string;
      text: string;
    }
  | {
      type: 'change_url';
      webhookId: string;
      text: string;
    }
  | {
      type: 'test';
      webhookId: string;
      event: string;
      text: string;
    }
  | {
      type: 'verify';
      text: string;
    }
  | {
      type: 'forward';
      text: string;
    }
  | {
      type: 'wait';
      until: string | null;
      text: string;
    }
  | {
      type: 'fix';
      text: string;
    };

export type AttemptError = keyof typeof attemptErrors;

export type AttemptOutcome = Pick<Delivery, 'webhookId' | 'lastStatus' | 'lastError'>;

interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  event: EventType | Other;
  orderId: string | null;
  state: DeliveryState | Other;
  test: boolean;
  attemptCount: number;
  lastStatus: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  deadlineAt: string;
  createdAt: string;
  finishedAt: string | null;
}

interface DeliveryAttempt {
  number: number;
  startedAt: string;
  durationMs: number;
  url: string;
  headers: Record<string, string>;
  status: number | null;
  error: string | null;
  responseSnippet: string;
}

interface DeliveryDetails extends Delivery {
  body: string;
  attempts: DeliveryAttempt[];
}

export interface DeliveryExplanation {
  verdict: DeliveryVerdict;
  reason: string;
  failure: FailureExplanation | null;
  isFailureOfOther: boolean;
  actions: Action[];
}

export interface DeliveryRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

type DeliveryState = (typeof deliveryStates)[number];

export type DeliveryVerdict =
  | 'delivered'
  | 'failed'
  | 'waiting'
  | 'retrying'
  | 'backoff'
  | 'paused'
  | 'in_progress'
  | 'unknown';

type EventType = (typeof allEventTypes)[number];

export interface ExplainDeliveryOptions {
  webhook?: WebhookDetails | null | undefined;
  signed?: boolean | null | undefined;
  now?: Date | number | undefined;
}

export type FailureCause =
  | AttemptError
  | 'redirect'
  | 'rejected'
  | 'authentication'
  | 'not_found'
  | 'rate_limited'
  | 'unavailable'
  | 'receiver_failed'
  | 'not_accepted'
  | 'unknown';

export interface FailureExplanation {
  cause: FailureCause;
  reason: string;
  status: number | null;
  error: string | null;
  actions: Action[];
}

type Other = string & Record<never, never>;

export interface SignAgainOptions {
  secret: string;
  url?: string | undefined;
  now?: Date | number | undefined;
}

interface Webhook {
  id: string;
  url: string;
  events: (EventType | Other)[];
  status: WebhookStatus | Other;
  description: string | null;
  headerNames: string[];
  attemptsPerMinute: number | null;
  createdAt: string;
  updatedAt: string;
}

interface WebhookDetails extends Webhook {
  stagedSecretAt: string | null;
  pendingDeliveries: number;
  consecutiveFailures: number;
  backoffUntil: string | null;
  lastStatus: number | null;
  lastError: string | null;
  failingSince: string | null;
  disabledAt: string | null;
}

export interface WebhookExplanation {
  verdict: WebhookVerdict;
  reason: string;
  summary: string;
  last: string | null;
  failure: FailureExplanation | null;
  actions: Action[];
}

type WebhookStatus = (typeof webhookStatuses)[number];

export type WebhookVerdict =
  | 'healthy'
  | 'failing'
  | 'backoff'
  | 'disabled'
  | 'paused'
  | 'active'
  | 'unknown';

declare const allEventTypes: readonly [
  'order.created',
  'order.status_changed',
  'task.approval_requested',
  'task.completed',
  'listing.availability_low',
  'webhook.disabled',
];

declare const attemptErrors: {
  readonly timeout: {
    readonly summary: 'the attempt took more than 15 seconds in all: DNS lookup, connection, request and response';
    readonly action: 'Respond first and process the event afterwards.';
  };
  readonly dns_failed: {
    readonly summary: 'the host name has no address, or its DNS servers could not resolve it';
    readonly action: 'Check the host in the URL, and that public DNS servers resolve it.';
    readonly hasDetail: true;
  };
  readonly dns_timeout: {
    readonly summary: 'the DNS servers of the host name did not respond within 5 seconds';
    readonly action: 'Check the DNS servers of the host name.';
  };
  readonly connection_refused: {
    readonly summary: 'nothing listens on that port';
    readonly action: 'Check that the receiver is running, and that it listens on the port in the URL.';
  };
  readonly connect_timeout: {
    readonly summary: 'the connection, including TLS, was not established within 10 seconds';
    readonly action: 'Check the firewall of the receiver: a firewall that drops packets causes this.';
  };
  readonly unreachable: {
    readonly summary: 'there is no route to the address, or a firewall blocks it';
    readonly action: 'Check the address that the host name resolves to, and the firewall in front of it.';
  };
  readonly connection_reset: {
    readonly summary: 'the receiver closed the connection before it sent a response';
    readonly action: 'Check the log of the receiver, or of the proxy in front of it, for a crash.';
  };
  readonly tls_failed: {
    readonly summary: 'the TLS certificate is not valid, or the receiver does not speak TLS';
    readonly action: 'Check that the certificate has not expired, names this host and is sent with its intermediate certificates.';
    readonly hasDetail: true;
  };
  readonly forbidden_address: {
    readonly summary: 'the host is, or resolves to, an address that is not public';
    readonly action: 'Use a host with a public address.';
  };
  readonly forbidden_scheme: {
    readonly summary: 'the URL starts with http://, which the policy of the service forbids';
    readonly action: 'Change the URL to https://.';
  };
  readonly forbidden_port: {
    readonly summary: 'the URL has a port that the policy of the service forbids';
    readonly action: 'Use port 443 or 8443.';
  };
  readonly malformed_response: {
    readonly summary: 'the response is not valid HTTP/1';
    readonly action: 'Check that an HTTP server, and no other service, listens on that port.';
  };
  readonly response_too_large: {
    readonly summary: 'the response headers are too large, or the response has too much that is not body; the limit is 48 KiB';
    readonly action: 'Respond with a 204 and nothing else: the service only needs the status.';
  };
  readonly response_truncated: {
    readonly summary: 'the connection closed during the response, or the response has the wrong length';
    readonly action: 'Check the receiver for a crash; the response status still decides the outcome.';
  };
  readonly socket_exhaustion: {
    readonly summary: 'the service had no socket or file descriptor left; this does not count as an attempt, and the service retries after a second';
    readonly action: 'There is nothing to do; if it continues, report it to the operator of the service.';
  };
  readonly out_of_ports: {
    readonly summary: 'the service had no local port left for that address; this does not count as an attempt, and the service retries after a second';
    readonly action: 'There is nothing to do; if it continues, report it to the operator of the service.';
  };
  readonly queue_limit_reached: {
    readonly summary: 'the account had as many pending deliveries as it may have when the event happened; there was no attempt';
    readonly action: 'Make the endpoints of the account accept their deliveries again, then replay this one.';
  };
  readonly server_shutdown: {
    readonly summary: 'the service shut down during the attempt; this does not count as an attempt, and the service retries immediately';
    readonly action: 'There is nothing to do.';
  };
  readonly unexpected: {
    readonly summary: 'the attempt failed for an unclassified reason, which the detail describes';
    readonly action: 'Report the detail to the operator of the service.';
    readonly hasDetail: true;
  };
};

export declare function deliveryRequest(
  { body, eventId: id, attempts }: DeliveryDetails,
  options?: SignAgainOptions,
): Promise<DeliveryRequest | null>;

declare const deliveryStates: readonly ['pending', 'delivered', 'failed'];

export declare function explainDelivery(
  delivery: Delivery,
  options?: ExplainDeliveryOptions,
): DeliveryExplanation;

export declare function explainFailure(outcome: AttemptOutcome): FailureExplanation | null;

export declare function explainWebhook(
  webhook: WebhookDetails,
  options?: {
    now?: Date | number | undefined;
  },
): WebhookExplanation;

export declare const hiddenCharacters: RegExp;

export declare function toCommand(words: readonly string[]): string | null;

export declare function toCurl({ url, headers, body }: DeliveryRequest): string | null;

export declare function wasSignedWith(
  delivery: DeliveryDetails,
  secret: string,
): Promise<boolean | null>;

declare const webhookStatuses: readonly ['active', 'paused'];
