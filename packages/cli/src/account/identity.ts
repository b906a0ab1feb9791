import type { Account } from '@tradepost/sdk';
import type { View } from '../output/column';
import { keyHint } from '../settings/key-hint';
import type { Settings } from '../settings/settings';

/** Which service is asked, and as whom. */
export interface Identity {
  /** The login that the key or the base URL came from; null when none was needed. */
  profile: string | null;
  /** Where the service is. */
  baseUrl: string;
  /** Where that came from: option, environment or profile. */
  baseUrlSource: string;
  /** The first characters of the key. */
  apiKeyHint: string;
  /** Where the key came from: environment or profile. */
  apiKeySource: string;
  /** Whose key it is; null, like all that follows, when the service does not tell. */
  accountId: string | null;
  /** What the account may do. */
  accountKind: string | null;
  /** What people call it. */
  accountName: string | null;
  /** Whether the key may only read. */
  readOnly: boolean | null;
  /** When the key stops to work, ISO 8601; null also when it does not expire. */
  expiresAt: string | null;
}

/** How an identity is shown. */
export const identityView: View<Identity> = {
  fields: [
    'profile',
    'baseUrl',
    'baseUrlSource',
    'apiKeyHint',
    'apiKeySource',
    'accountId',
    'accountKind',
    'accountName',
    'readOnly',
    'expiresAt',
  ],
  columns: [],
};

/** The fields of an identity, for help pages. */
export const identityShape = `{ ${identityView.fields.join(', ')} }`;

/** Puts together what is known of who asks. */
export function identityOf(
  { profile, baseUrl, baseUrlSource, apiKey, apiKeySource }: Settings,
  account: Account | null,
): Identity {
  // Another service may tell the account and nothing of its key.
  const key: Partial<Account['key']> | undefined = account?.key;
  return {
    profile,
    baseUrl,
    baseUrlSource,
    apiKeyHint: keyHint(apiKey),
    apiKeySource,
    accountId: account?.id ?? null,
    accountKind: account?.kind ?? null,
    accountName: account?.name ?? null,
    readOnly: key?.readOnly ?? null,
    expiresAt: key?.expiresAt ?? null,
  };
}
