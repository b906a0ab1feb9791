import { type AnyTradepostError, isTradepostError } from '../../src/index';

/** The error that a call fails with. Fails itself when the call succeeds. */
export async function catchTradepostError(call: PromiseLike<unknown>): Promise<AnyTradepostError> {
  try {
    await call;
  } catch (error) {
    if (isTradepostError(error)) return error;
    throw error;
  }
  throw new Error('the call succeeded');
}
