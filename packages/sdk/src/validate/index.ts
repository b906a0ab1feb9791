/**
 * An opt-in validation of every successful response against the contract's schemas, for example in a staging
 * environment: it reports changes of the service before they affect users. It bundles zod, which the client
 * does not need.
 *
 * @example
 * import { Tradepost } from '@tradepost/sdk';
 * import { validateResponses } from '@tradepost/sdk/validate';
 * const validate = process.env.STAGE === 'staging' ? validateResponses : undefined;
 * const tradepost = new Tradepost({ baseUrl, apiKey, validate });
 */
export { validateResponses } from './validate-responses';
