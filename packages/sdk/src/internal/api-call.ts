import { type Answer, type SafeResult, safely } from './answer';

/**
 * A call that is on its way: a promise of its data, with two more ways to look at the same answer.
 * One call is one request, however many of them are used.
 */
export interface ApiCall<Data> extends Promise<Data> {
  /** The data with the answer's status, headers and request id. Throws as the call itself does. */
  withResponse(): Promise<Answer<Data>>;
  /** How the call ended, as a value: never throws, whatever went wrong. */
  safe(): Promise<SafeResult<Data>>;
}

const ignore = () => undefined;

/** Makes a call of the promise of its answer. */
export function apiCall<Data>(answer: Promise<Answer<Data>>): ApiCall<Data> {
  const data = answer.then((success) => success.data);
  // Who looks at the answer in another way hears of its failure there: the runtime need not report
  // that nobody listened to `data`.
  const call = data as ApiCall<Data>;
  call.withResponse = () => {
    data.catch(ignore);
    return answer.then((success) => success);
  };
  call.safe = () => {
    data.catch(ignore);
    return safely(answer);
  };
  return call;
}
