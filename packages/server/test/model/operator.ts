import { type ApiKey, createAccount } from '@tradepost/domain/accounts/account';
import {
  type Clock,
  createContext,
  createIdGenerator,
  formatTimestamp,
} from '@tradepost/domain/kernel/context';
import { createListing } from '@tradepost/domain/listings/listing';
import { type IssuedKey, issueKey } from '../../src/kernel/api-key';
import type { Store } from '../../src/stores/store';
import type { Operation } from './operator-model';

function showKey({ id, accountId, prefix, readOnly, createdAt, expiresAt, revokedAt }: ApiKey) {
  const orNull = (time: number | null) => (time === null ? null : formatTimestamp(time));
  const times = { createdAt: formatTimestamp(createdAt), expiresAt: orNull(expiresAt) };
  return { id, accountId, prefix, readOnly, ...times, revokedAt: orNull(revokedAt) };
}

const showIssued = ({ record, apiKey }: IssuedKey) => ({
  keyId: record.id,
  apiKey,
  prefix: record.prefix,
});

/** Creates the function that runs an operator's commands on a store, as `tradepost-server` does. */
export function createOperator(
  { accounts, listings }: Store,
  clock: Clock,
): (operation: Operation) => Promise<unknown> {
  const newId = createIdGenerator();
  return async (operation) => {
    const context = createContext(clock, newId);
    switch (operation.kind) {
      case 'createAccount': {
        const account = createAccount(operation.accountKind, operation.name, context);
        const key = { accountId: account.id, readOnly: false, expiresAt: null };
        const issued = issueKey(key, context);
        await accounts.addAccount(account, issued.record);
        return { id: account.id, ...showIssued(issued) };
      }
      case 'createKey': {
        const { accountId, readOnly, expiresIn } = operation;
        const expiresAt = expiresIn === null ? null : context.now + expiresIn;
        const issued = issueKey({ accountId, readOnly, expiresAt }, context);
        await accounts.addKey(issued.record);
        return showIssued(issued);
      }
      case 'revokeKey': {
        const key = await accounts.revokeKey(operation.keyId, context.now);
        return key === null ? null : showKey(key);
      }
      case 'listKeys':
        return (await accounts.listKeys(operation.accountId)).map(showKey);
      case 'createListing': {
        const { sellerId, agentId, units: availableQuantity, lowThreshold } = operation;
        const listing = createListing(
          { sellerId, agentId, availableQuantity, lowThreshold },
          context,
        );
        await listings.addListing(listing);
        return { id: listing.id };
      }
    }
  };
}
