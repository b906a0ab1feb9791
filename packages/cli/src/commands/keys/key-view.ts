import type { ApiKey } from '@tradepost/sdk';
import type { CliContext } from '../../context';
import type { View } from '../../output/view';

/** What a key can be used for, and until when. */
function describeState(
  { current, revokedAt, expiresAt }: ApiKey,
  now: number,
): 'current' | 'valid' | 'revoked' | 'expired' {
  if (revokedAt != null) return 'revoked';
  if (expiresAt != null && Date.parse(expiresAt) <= now) return 'expired';
  return current ? 'current' : 'valid';
}

/** The fields of keys. */
export const keyFields = [
  'id',
  'name',
  'kind',
  'prefix',
  'readOnly',
  'createdAt',
  'expiresAt',
  'revokedAt',
  'lastUsedAt',
  'createdBy',
  'current',
] as const satisfies readonly (keyof ApiKey)[];

/** Creates the view of a list of keys. */
export function createKeyView(context: CliContext): View<ApiKey> {
  const state = (key: ApiKey) => describeState(key, context.now());
  return {
    fields: keyFields,
    columns: [
      { title: 'ID', field: 'id' },
      {
        title: 'STATE',
        field: 'revokedAt',
        text: state,
        style: (key) =>
          (({ current: 'green', valid: null, revoked: 'dim', expired: 'dim' }) as const)[
            state(key)
          ],
      },
      {
        title: 'NAME',
        field: 'name',
        text: ({ name, kind }) => name ?? (kind === 'session' ? 'session' : '-'),
        whenNarrow: 'shorten',
      },
      {
        title: 'ACCESS',
        field: 'readOnly',
        text: ({ readOnly }) => (readOnly ? 'read-only' : 'full'),
        whenNarrow: 'leave-out',
      },
      { title: 'LAST USED', field: 'lastUsedAt', whenNarrow: 'leave-out' },
      { title: 'EXPIRES', field: 'expiresAt', whenNarrow: 'leave-out' },
      { title: 'KEY', field: 'prefix', whenNarrow: 'leave-out' },
      { title: 'CREATED', field: 'createdAt', whenNarrow: 'leave-out' },
    ],
  };
}
