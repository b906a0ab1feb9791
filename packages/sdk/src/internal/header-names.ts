import type { headerNames } from '@tradepost/contract/wire';

/** A header of the contract, as `Headers` spells it. */
type Name<Key extends keyof typeof headerNames> = Lowercase<(typeof headerNames)[Key]>;

// Written out and held to the contract by their types: its list of all names would weigh more.
export const authorization: Name<'authorization'> = 'authorization';
export const idempotencyKey: Name<'idempotencyKey'> = 'idempotency-key';
export const ifMatch: Name<'ifMatch'> = 'if-match';
export const location: Name<'location'> = 'location';
export const requestId: Name<'requestId'> = 'x-request-id';
