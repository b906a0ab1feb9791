import { defaultProfile, type Profiles } from '../../config/profiles';
import { getKeyPrefix } from '../../config/settings';
import type { View } from '../../output/format';

export interface ProfileItem {
  name: string;
  current: boolean;
  baseUrl: string;
  apiKeyPrefix: string;
}

export const profileView: View<ProfileItem> = {
  fields: ['name', 'current', 'baseUrl', 'apiKeyPrefix'],
  columns: [
    { title: 'NAME', field: 'name' },
    {
      title: 'CURRENT',
      field: 'current',
      text: ({ current }) => (current ? 'yes' : '-'),
      style: ({ current }) => (current ? 'green' : 'dim'),
    },
    { title: 'BASE URL', field: 'baseUrl' },
    { title: 'KEY', field: 'apiKeyPrefix', whenNarrow: 'leave-out' },
  ],
};

/** Converts profiles to rows, sorted by name. */
export function toProfileItems({ profiles, current }: Profiles): ProfileItem[] {
  return Object.entries(profiles)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { baseUrl, apiKey }]) => ({
      name,
      current: name === (current ?? defaultProfile),
      baseUrl,
      apiKeyPrefix: getKeyPrefix(apiKey),
    }));
}
