import { headerNames, idempotencyKeyLifetime } from '@tradepost/contract/wire';
import type { MockClock } from './clock';
import type { MockResponse } from './handler';
import { MockProblem } from './problem';

/** The response to the first request with a key. */
interface StoredResponse {
  fingerprint: string;
  /** Null after the webhook that it shows was deleted. */
  response: MockResponse | null;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** The webhook that the response shows, if any. */
  webhookId: string | undefined;
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  accountId: string;
  operation: string;
  key: string;
  /** The value of `:id` in the path; empty without one. */
  id: string;
  body: unknown;
}

/** The responses that are repeated when their idempotency key is sent again. */
export class IdempotencyStore {
  readonly #clock: MockClock;
  readonly #stored = new Map<string, StoredResponse>();

  constructor(clock: MockClock) {
    this.#clock = clock;
  }

  /**
   * Runs work once per key. Errors are not stored.
   *
   * @throws {MockProblem} `idempotency_key_reused`, `webhook_deleted`.
   */
  run(request: KeyedRequest, work: () => MockResponse): MockResponse {
    const { accountId, operation, key, id, body } = request;
    const now = this.#clock.now();
    const name = [accountId, operation, key].join(' ');
    const fingerprint = JSON.stringify([id, sortFields(body)]);
    const stored = this.#stored.get(name);
    if (stored && stored.expiresAt > now) return replay(stored, fingerprint);
    const response = work();
    const expiresAt = now + idempotencyKeyLifetime * 1_000;
    const webhookId = showsSecrets(operation) ? id || readId(response) : undefined;
    // The data of a response may be that of the store, and may change.
    const copy = structuredClone(response);
    this.#stored.set(name, { fingerprint, response: copy, expiresAt, webhookId });
    return response;
  }

  /** Erases the responses that show a webhook, because they may contain its secret. */
  eraseWebhook(id: string): void {
    for (const stored of this.#stored.values()) if (stored.webhookId === id) stored.response = null;
  }
}

function replay({ response, ...stored }: StoredResponse, fingerprint: string): MockResponse {
  if (stored.fingerprint !== fingerprint) {
    throw new MockProblem(
      'idempotency_key_reused',
      'This Idempotency-Key was already used for another request: the path or the body differs. Use a new key for a new request, or send the same path and body to repeat the request.',
      [{ path: 'Idempotency-Key', message: 'belongs to another request' }],
    );
  }
  if (response === null) {
    throw new MockProblem(
      'webhook_deleted',
      'The webhook of the first request with this Idempotency-Key was deleted and its secret was erased. Use a new key to create another webhook.',
    );
  }
  const headers = { ...response.headers, [headerNames.idempotentReplayed]: 'true' };
  return { ...response, headers };
}

/** The order of fields does not matter: the service compares validated bodies. */
function sortFields(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return {};
  return Object.entries(body).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Whether the response shows a webhook, possibly with a secret. That to `webhooks.test` shows a delivery. */
function showsSecrets(operation: string): boolean {
  return operation.startsWith('webhooks.') && operation !== 'webhooks.test';
}

/** The ID of a new webhook. */
function readId({ body }: MockResponse): string | undefined {
  return (body as { data?: { id?: string } } | undefined)?.data?.id;
}
