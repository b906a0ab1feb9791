import type { ProblemIssue } from '@tradepost/contract/wire';

/**
 * Looks at a successful answer before it is returned, and says what is wrong with it: an empty list
 * when nothing is. `@tradepost/sdk/validate` makes one that holds answers to the contract.
 */
export type AnswerCheck = (answer: {
  /** The request's method. */
  method: string;
  /** The path's template, such as `/v1/orders/:id`. */
  route: string;
  /** The answer's HTTP status, 200 to 299. */
  status: number;
  /** The answer's body, parsed; undefined when it has none. */
  body: unknown;
}) => readonly ProblemIssue[];
