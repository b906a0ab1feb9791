/**
 * An opt-in validation against the contract's schemas: of every successful response, for example in a staging
 * environment, where it reports changes of the service before they affect users; and of received events. It
 * bundles zod, which the client and receivers do not need.
 *
 * @example
 * import { Tradepost } from '@tradepost/sdk';
 * import { validateResponses } from '@tradepost/sdk/validate';
 * const validate = process.env.STAGE === 'staging' ? validateResponses : undefined;
 * const tradepost = new Tradepost({ baseUrl, apiKey, validate });
 */
export { validateEvent } from './validate-event';
export { validateResponses } from './validate-responses';
