import type { contract } from '@tradepost/contract';
import { DomainError } from '../kernel/errors';
import type { RouteHandlers } from '../route-handlers';
import { type AccountStore, toAccountResponse } from './account';

/** Creates the handlers of the account endpoint. */
export function accountRoutes(accounts: AccountStore): RouteHandlers<typeof contract.account> {
  return {
    async get({ caller }) {
      const owner = await accounts.findKeyOwner(caller.keyId);
      // The key was deleted from the database after the request was authenticated.
      if (owner === null) {
        throw new DomainError(
          'invalid_api_key',
          'This API key no longer exists. Request a new one.',
        );
      }
      return { status: 200, body: { data: toAccountResponse(owner.account, owner.key) } };
    },
  };
}
