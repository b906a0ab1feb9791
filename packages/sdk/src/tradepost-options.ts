import type { AnswerHeaders } from './internal/answer';
import type { AnswerCheck } from './internal/answer-check';
import type { TradepostHooks } from './internal/hooks';
import type { TradepostLogger } from './internal/logger';

/** What the client asks of a custom `fetch`: a small part of the standard. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: AnswerHeaders;
  text(): Promise<string>;
}>;

/** Settings of the client. */
export interface TradepostOptions {
  /** Where the service is, such as `https://trade.example`. A path is kept, a query is refused. */
  baseUrl: string;
  /** The account's API key. It is sent to `baseUrl` alone; redirects are not followed. */
  apiKey: string;
  /** Milliseconds that one attempt may take, its answer's body included. 30,000 unless told. */
  timeout?: number | undefined;
  /**
   * Milliseconds that all attempts of a call and the waits between them may take together.
   * 120,000 unless told.
   */
  deadline?: number | undefined;
  /** How often a failed attempt is repeated at most. 3 unless told; 0 switches retries off. */
  maxRetries?: number | undefined;
  /** Names your program in `User-Agent`, before the client's own `tradepost-sdk/<version>`. */
  userAgent?: string | undefined;
  /** What to send requests with instead of the global `fetch`: for a proxy, a pool or a test. */
  fetch?: Fetch | undefined;
  /** Functions of yours that hear of each attempt, and may add headers to it. */
  hooks?: TradepostHooks | undefined;
  /** Where to write down what the client does; `console` fits. Secrets are redacted. */
  logger?: TradepostLogger | undefined;
  /**
   * Looks at each 2xx answer before it is returned, and refuses what is not the contract's. Take it
   * from `@tradepost/sdk/validate`, for a staging environment.
   */
  validate?: AnswerCheck | undefined;
}
