import { aProblem, BareService, type SeenRequest, type StubResponse } from './minimal-service';

/** The one key that the service takes. */
export const key = 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6dE8gH5jK';

/** The account of the key, as profiles store it. */
export const account = {
  id: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
  kind: 'seller',
  name: 'Harbour Street\u001b[2J Café',
};

function tellsAccount({ path, headers }: SeenRequest): StubResponse | undefined {
  if (headers.authorization !== `Bearer ${key}`) return aProblem(401, 'invalid_api_key');
  if (path !== '/v1/account') return undefined;
  const data = {
    ...account,
    createdAt: '2026-11-21T09:30:00.000Z',
    key: { id: 'key_1', hint: 'tpk_3fQx…', readOnly: false, expiresAt: null },
  };
  return { status: 200, body: { data } };
}

/** Starts a service that tells whose key it is. */
export async function startAccountService(): Promise<BareService> {
  const service = await BareService.start();
  service.instead = tellsAccount;
  return service;
}
