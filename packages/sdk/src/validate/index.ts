/**
 * An opt-in check of every successful answer against the contract's schemas, for staging: what the
 * service no longer answers as agreed is noticed there, and not by your users. It brings zod along,
 * which the client alone does not have.
 *
 * @example
 * import { Tradepost } from '@tradepost/sdk';
 * import { validateAnswers } from '@tradepost/sdk/validate';
 * const validate = process.env.STAGE === 'staging' ? validateAnswers : undefined;
 * const tradepost = new Tradepost({ baseUrl, apiKey, validate });
 */
export { validateAnswers } from './validate-answers';
