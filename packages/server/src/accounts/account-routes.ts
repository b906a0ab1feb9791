import type { contract } from '@tradepost/contract';
import { DomainError } from '../domain-error';
import type { FeatureRoutes } from '../feature-routes';
import { presentAccount } from './account';
import type { AccountStore } from './account-store';

/** The account endpoint. */
export function accountRoutes(accounts: AccountStore): FeatureRoutes<typeof contract.account> {
  return {
    async get({ caller }) {
      const holder = await accounts.findHolder(caller.keyId);
      // It was there when the request was let in: whoever removes keys from the database was faster.
      if (holder === null) {
        throw new DomainError(
          'invalid_api_key',
          'This API key is not known any more. Ask for a new one.',
        );
      }
      return { status: 200, body: { data: presentAccount(holder.account, holder.key) } };
    },
  };
}
