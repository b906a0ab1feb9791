import type { ApiResponse, Tradepost } from '@tradepost/sdk';
import { isTradepostError } from '@tradepost/sdk';
import { expect } from 'vitest';
import type { AccountName, Service, TwoServices } from './two-services';

/** Refers to what a service has shown so far. The same index means the same thing in both services. */
export interface References {
  /** The ID with this index, modulo their number, in the order in which the service showed them. */
  id(prefix: string, index: number): string;
}

/** A call of a client that can be awaited with its response. */
export type Call = (
  client: Tradepost,
  references: References,
) => { withResponse(): Promise<ApiResponse<unknown>> };

/** What both services must respond with. */
type Outcome = Record<string, unknown>;

const comparedHeaders = [
  'Allow',
  'Content-Type',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'Retry-After',
  'Tradepost-Changed',
  'Tradepost-Idempotency',
  'Tradepost-Order-Version',
  'WWW-Authenticate',
];

/** These details name what only the reference server has. */
const ownDetails = ['route_not_found'];

/** Replaces the IDs and secrets of one service with names that are the same for both, and keeps what calls refer to. */
class Normalizer {
  readonly ids = new Map<string, string[]>();

  normalize(value: unknown): unknown {
    if (typeof value === 'string') return this.#normalizeText(value);
    if (Array.isArray(value)) return value.map((item) => this.normalize(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.normalize(item)]),
    );
  }

  /** Normalizes the data of a response. A cursor is opaque: only whether there is one is compared. */
  normalizeData(data: unknown): unknown {
    const { nextCursor } = (data ?? {}) as { nextCursor?: unknown };
    if (typeof nextCursor !== 'string') return this.normalize(data);
    return this.normalize({ ...(data as object), nextCursor: 'a cursor' });
  }

  #normalizeText(text: string): string {
    return text
      .replace(/whsec_[0-9A-Za-z+/]{43}=/g, 'whsec')
      .replace(/tpk_\w{4}…/g, 'tpk…')
      .replace(/\b([a-z]{3})_((?:TradepostTest)?[0-9A-Z]{26})\b/g, (id, prefix: string) => {
        const known = this.ids.get(prefix) ?? [];
        this.ids.set(prefix, known);
        if (!known.includes(id)) known.push(id);
        return `${prefix}#${known.indexOf(id)}`;
      });
  }
}

/** Makes the same calls to both services, and compares what they respond with. */
export class Comparison {
  readonly #services: TwoServices;
  readonly #normalizers = [new Normalizer(), new Normalizer()] as const;

  constructor(services: TwoServices) {
    this.#services = services;
  }

  /** Makes a call to both services, and expects the same outcome. Returns it. */
  async call(account: AccountName, call: Call): Promise<Outcome> {
    const [reference, mock] = this.#services.services;
    const [expected, actual] = [
      await this.#run(account, reference, this.#normalizers[0], call),
      await this.#run(account, mock, this.#normalizers[1], call),
    ];
    expect(actual, `what the mock responds to ${call}`).toEqual(expected);
    return expected;
  }

  /** Compares everything that an account may see. */
  async compareAll(account: AccountName): Promise<void> {
    await this.call(account, ({ orders }) => orders.list({ limit: 100 }));
    await this.call(account, ({ orders }) => orders.list({ limit: 1, count: 2, maxQuantity: 50 }));
    await this.call(account, ({ partners }) => partners.list());
    await this.call(account, ({ notifications }) => notifications.list({ limit: 100 }));
    await this.call(account, ({ events }) => events.list({ limit: 100 }));
    await this.call(account, ({ webhooks }) => webhooks.list());
    await this.call(account, ({ deliveries }) => deliveries.list({ limit: 100 }));
    await this.call(account, (client) => client.account.get());
  }

  async #run(
    account: AccountName,
    service: Service,
    normalizer: Normalizer,
    call: Call,
  ): Promise<Outcome> {
    const references: References = {
      id(prefix, index) {
        const known = normalizer.ids.get(prefix) ?? [];
        return known[index % known.length] ?? `${prefix}_00000000000000000000000000`;
      },
    };
    try {
      const { data, status, headers } = await call(service.as(account), references).withResponse();
      const normalized = normalizer.normalizeData(data);
      return { status, ...readHeaders(headers, normalizer), data: normalized };
    } catch (error) {
      if (!isTradepostError(error)) throw error;
      const { name, code, status, method, mayHaveBeenApplied, headers, problem } = error;
      const ownDetail = ownDetails.includes(code) ? { detail: '' } : {};
      const normalized = normalizer.normalize({ ...problem, requestId: '', ...ownDetail });
      const read = headers && readHeaders(headers, normalizer);
      return { name, code, status, method, mayHaveBeenApplied, ...read, problem: normalized };
    }
  }
}

function readHeaders(headers: ApiResponse<unknown>['headers'], normalizer: Normalizer) {
  const values = comparedHeaders.map((name) => [name, headers.get(name)]);
  return { headers: normalizer.normalize(Object.fromEntries(values)) };
}
