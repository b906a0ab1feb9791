import { defaultProfile, type Profiles } from '../../config/profiles';
import { getKeyPrefix } from '../../config/settings';
import type { View } from '../../output/view';

export interface ProfileItem {
  name: string;
  current: boolean;
  baseUrl: string;
  apiKeyPrefix: string;
  /** The account as the service last reported it. Its fields are null if that is unknown. */
  accountId: string | null;
  accountKind: string | null;
  accountName: string | null;
}

const unknown = 'unknown';

export const profileView: View<ProfileItem> = {
  fields: ['name', 'current', 'baseUrl', 'apiKeyPrefix', 'accountId', 'accountKind', 'accountName'],
  columns: [
    { title: 'NAME', field: 'name' },
    {
      title: 'CURRENT',
      field: 'current',
      text: ({ current }) => (current ? 'yes' : '-'),
      style: ({ current }) => (current ? 'green' : 'dim'),
    },
    {
      title: 'ACCOUNT',
      field: 'accountName',
      text: ({ accountName, accountId }) => accountName ?? accountId ?? unknown,
      style: ({ accountId }) => (accountId === null ? 'dim' : null),
      whenNarrow: 'shorten',
    },
    {
      title: 'KIND',
      field: 'accountKind',
      text: ({ accountKind }) => accountKind ?? unknown,
      style: ({ accountKind }) => (accountKind === null ? 'dim' : null),
    },
    { title: 'BASE URL', field: 'baseUrl' },
    { title: 'KEY', field: 'apiKeyPrefix', whenNarrow: 'leave-out' },
  ],
};

export function toProfileItems({ profiles, current }: Profiles): ProfileItem[] {
  return Object.entries(profiles)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { baseUrl, apiKey, account }]) => ({
      name,
      current: name === (current ?? defaultProfile),
      baseUrl,
      apiKeyPrefix: getKeyPrefix(apiKey),
      accountId: account?.id ?? null,
      accountKind: account?.kind ?? null,
      accountName: account?.name ?? null,
    }));
}
