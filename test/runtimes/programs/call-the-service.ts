import { isTradepostError, Tradepost } from '@tradepost/sdk';

/** The URL of the service, and the key of a buyer with orders. */
export interface Service {
  baseUrl: string;
  apiKey: string;
}

/** Makes the calls of an integrator. Returns their results as JSON values. */
export async function callService({ baseUrl, apiKey }: Service) {
  const tradepost = new Tradepost({ baseUrl, apiKey });
  const first = await tradepost.orders.list({ limit: 1 });
  const listingId = first.data[0]?.listingId ?? '';
  const created = await tradepost.orders.create({ listingId, quantity: 1 }).withResponse();
  const listed: string[] = [];
  for await (const order of tradepost.orders.list({ limit: 1 })) listed.push(order.id);
  const [missing, invalid] = await Promise.all([
    tradepost.orders.get('ord_00000000000000000000000000').safe(),
    tradepost.orders.create({ listingId, quantity: 0 }).safe(),
  ]);
  return {
    hasMorePages: first.nextCursor !== null,
    status: created.status,
    hasRequestId: created.requestId !== null,
    listsItFirst: listed[0] === created.data.id,
    followsPages: listed.length > 1,
    missing: missing.ok ? null : missing.error.name,
    invalid: invalid.ok || invalid.error.name !== 'ValidationError' ? [] : getPaths(invalid.error),
    unreachable: await getErrorName(
      new Tradepost({ baseUrl: 'http://127.0.0.1:1', apiKey, maxRetries: 0 }).orders.list(),
    ),
    aborted: await abortInFlight({ baseUrl, apiKey }),
  };
}

function getPaths({ errors }: { errors: readonly { path: string }[] }): string[] {
  return errors.map(({ path }) => path);
}

/** Aborts a call whose request is in flight. */
function abortInFlight({ baseUrl, apiKey }: Service): Promise<string> {
  const controller = new AbortController();
  const tradepost = new Tradepost({
    baseUrl,
    apiKey,
    fetch(url, init) {
      const response = fetch(url, init);
      controller.abort();
      return response;
    },
  });
  return getErrorName(tradepost.orders.list({}, { signal: controller.signal }));
}

async function getErrorName(call: PromiseLike<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    return isTradepostError(error) ? error.name : String(error);
  }
}
