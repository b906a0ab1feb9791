import type { View } from '../output/column';
import { keyHint } from '../settings/key-hint';
import { type Profiles, usualProfile } from '../settings/profiles';

/** A login as it is shown: all but its key. */
export interface Login {
  /** What `--profile` and TRADEPOST_PROFILE call it. */
  name: string;
  /** Whether it is used unless another is named. */
  current: boolean;
  /** Where the service is. */
  baseUrl: string;
  /** The first characters of the key. */
  apiKeyHint: string;
}

/** How logins are shown. */
export const loginView: View<Login> = {
  fields: ['name', 'current', 'baseUrl', 'apiKeyHint'],
  columns: [
    { title: 'NAME', field: 'name', text: (login) => login.name },
    {
      title: 'CURRENT',
      field: 'current',
      text: (login) => (login.current ? 'yes' : '-'),
      look: (login) => (login.current ? 'green' : 'dim'),
    },
    { title: 'BASE URL', field: 'baseUrl', text: (login) => login.baseUrl },
    {
      title: 'KEY',
      field: 'apiKeyHint',
      text: (login) => login.apiKeyHint,
      whenNarrow: 'leave-out',
    },
  ],
};

/** The fields of a login, for help pages. */
export const loginShape = `{ ${loginView.fields.join(', ')} }`;

/** The logins as they are shown, by their names. */
export function loginsOf({ profiles, current }: Profiles): Login[] {
  return Object.entries(profiles)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { baseUrl, apiKey }]) => ({
      name,
      current: name === (current ?? usualProfile),
      baseUrl,
      apiKeyHint: keyHint(apiKey),
    }));
}
