import type { Extension } from '@tradepost/contract/wire';
import type { AnyTradepostError, ResponseHeaders } from '../errors';
import type { Other } from '../unrecognized';

/** The data of a call, with the response that it came from. */
export interface ApiResponse<Data> {
  /** The value that the call itself resolves to. */
  data: Data;
  /** HTTP status of the response. */
  status: number;
  /** Headers of the response, such as the `ETag` of an order. */
  headers: ResponseHeaders;
  /** ID of the request, as the service logs it. Null when the response has none. */
  requestId: string | null;
  /**
   * The extensions of the API that the service has, as `Tradepost-Extensions` lists them. Empty if the response does not
   * have the header: then the service has none.
   */
  extensions: readonly (Extension | Other)[];
}

/** The result of a call that succeeded, as `.safe()` returns it. */
export interface SuccessResult<Data> extends ApiResponse<Data> {
  /** Discriminates a success from a failure. */
  ok: true;
}

/** The result of a call that failed, as `.safe()` returns it. */
export interface FailureResult {
  /** Discriminates a success from a failure. */
  ok: false;
  /** The error that the call would have thrown. Its `name` discriminates the classes. */
  error: AnyTradepostError;
}

/** The result of a call: a union discriminated by `ok`. */
export type Result<Data> = SuccessResult<Data> | FailureResult;

/**
 * A call in flight: a promise of its data, with two methods to get the same response in another form.
 * However many of them are used, one call sends one request.
 */
export interface ApiPromise<Data> extends Promise<Data> {
  /** Resolves to the data with the response's status, headers and request ID. @throws what the call throws */
  withResponse(): Promise<ApiResponse<Data>>;
  /** Resolves to the result of the call as a value. It never rejects. */
  safe(): Promise<Result<Data>>;
}

const ignore = () => undefined;

/** Creates the promise of a call from the promise of its response. */
export function createApiPromise<Data>(response: Promise<ApiResponse<Data>>): ApiPromise<Data> {
  const data = response.then((success) => success.data);
  // Callers of the other two methods get the failure there, so `data` must not count as unhandled.
  const call = data as ApiPromise<Data>;
  call.withResponse = () => {
    data.catch(ignore);
    return response.then((success) => success);
  };
  call.safe = () => {
    data.catch(ignore);
    return toResult(response);
  };
  return call;
}

/** Turns the outcome of a call into a value. The promise never rejects. */
export function toResult<Data>(response: Promise<ApiResponse<Data>>): Promise<Result<Data>> {
  return response.then(
    (success) => ({ ok: true, ...success }),
    (error: AnyTradepostError) => ({ ok: false, error }),
  );
}
