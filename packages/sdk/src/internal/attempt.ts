import type { TradepostError, TradepostErrorDetails } from '../errors/tradepost-error';
import type { BlotOut } from './blot-out';
import type { OutgoingRequest } from './compose-request';

/** Which attempt of which call it is. */
export interface Attempt {
  method: string;
  /** The path with its id filled in, without a query; its template before there is one. */
  path: string;
  /** Counted from 1; 0 before there is one. */
  number: number;
  /** What was sent; undefined as long as it has not come to that. */
  sent?: OutgoingRequest | undefined;
  /** Whether an attempt before this one may have been carried out unheard. */
  mayBeDoneBefore: boolean;
  /** Keeps the API key out of what is told about it. */
  blotOut: BlotOut;
}

/**
 * Makes the error of an attempt: its method and path, what happened, the request's id and the number
 * of attempts. Whatever a service echoes, the API key is not in it.
 *
 * @param what what happened: the rest of a sentence that begins with method and path, or more
 */
export function attemptError<Details extends TradepostErrorDetails, Failure extends TradepostError>(
  Class: new (message: string, details: Details) => Failure,
  { method, path, number, mayBeDoneBefore, blotOut }: Attempt,
  what: string,
  { cause, ...details }: Details,
): Failure {
  const notes: string[] = [];
  if (details.requestId) notes.push(`request ${details.requestId}`);
  if (number > 1) notes.push(`${number} attempts`);
  const footnote = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  return new Class(
    blotOut(`${method} ${path} ${what}${footnote}`),
    // Not the cause: it is what it is.
    { ...blotOut({ ...details, method, path }), mayBeDoneBefore, cause } as unknown as Details,
  );
}
