import type { AnyTradepostError, ApiPromise, Extension, PagePromise } from '@tradepost/sdk';
import { assertObject, CliError } from '../errors/cli-error';
import { maxPageSize } from '../input/options';
import type { ListPage } from '../output/view';

/** Parameters that a service has only with an extension of the API. */
export interface Extra<Query> {
  extension: Extension;
  parameters: Query;
  /** The option that asks for it: without the extension that is an error. Otherwise the parameters are left out. */
  option?: string;
}

/** Parameters that select items. What they select is selected here if the service does not have the extension. */
export interface FilterExtra<Item, Query> extends Extra<Query> {
  isWanted?: (item: Item) => boolean;
}

/**
 * Checks that a service has the extension that an option needs.
 *
 * @param available the extensions that a response lists
 * @throws {CliError} `unsupported_option`
 */
export function requireExtension(
  extension: Extension,
  option: string,
  available: readonly string[],
): void {
  if (available.includes(extension)) return;
  throw new CliError(
    'unsupported_option',
    `${option} needs the extension ${extension} of the API, which this service does not have`,
    `Omit ${option}.`,
  );
}

/** Whether a service may have rejected a request since it has more than the API specification. */
function isRejection({ status }: AnyTradepostError): boolean {
  return status === 400 || status === 422 || status === 501;
}

/** What `sendExtended` got. */
interface ExtendedResponse<Data, ExtraType> {
  data: Data;
  /** What the service has of the extras, and what it does not have. */
  supported: readonly ExtraType[];
  missing: readonly ExtraType[];
  /** The extensions of the service. */
  extensions: readonly string[];
}

/**
 * Sends a request with parameters of extensions. The response says which of them the service has: without the others it
 * is sent again, if the service rejected it or if it would have selected something else.
 *
 * @param send gets the parameters, and what the service does not have as far as that is known
 * @throws {CliError} `unsupported_option` if an option needs what the service does not have
 * @throws {TradepostError} what the request throws
 */
export async function sendExtended<Data, Query, ExtraType extends FilterExtra<never, Query>>(
  send: (
    parameters: Partial<Query>,
    missing: readonly ExtraType[],
  ) => Pick<ApiPromise<Data>, 'safe'>,
  extras: readonly ExtraType[],
): Promise<ExtendedResponse<Data, ExtraType>> {
  const first = await send(mergeParameters(extras), []).safe();
  if (!first.ok && !isRejection(first.error)) throw first.error;
  const { extensions } = first.ok ? first : first.error;
  const isMissing = ({ extension }: ExtraType) => !(extensions as string[]).includes(extension);
  const missing = extras.filter(isMissing);
  for (const { extension, option } of missing) {
    if (option !== undefined) requireExtension(extension, option, extensions);
  }
  const supported = extras.filter((extra) => !isMissing(extra));
  const found = { supported, missing, extensions };
  if (first.ok && missing.every(({ isWanted }) => isWanted === undefined)) {
    return { data: first.data, ...found };
  }
  if (!first.ok && missing.length === 0) throw first.error;
  const second = await send(mergeParameters(supported), missing).safe();
  if (!second.ok) throw second.error;
  return { data: second.data, ...found };
}

function mergeParameters<Query>(extras: readonly Extra<Query>[]): Partial<Query> {
  return Object.assign({}, ...extras.map(({ parameters }) => parameters));
}

/** A list with parameters of extensions. */
interface ExtendedList<Item, Query> {
  /** Requests the pages of a query. */
  list: (query: Query) => PagePromise<Item, ListPage<Item>>;
  /** What each service has. */
  query: Query;
  extras: readonly FilterExtra<Item, Query>[];
  /** How many items a page has. It is an extension too. */
  limit: number;
}

/**
 * Requests the pages of a list, with filters that the service may not have: then all items are requested, and
 * selected here.
 *
 * @throws what `sendExtended` throws
 */
export async function* listExtended<
  Item,
  Query extends { limit?: number | undefined; cursor?: string | undefined },
>({
  list,
  query,
  extras,
  limit,
}: ExtendedList<Item, Query>): AsyncGenerator<ListPage<Item>, void, undefined> {
  const paging: FilterExtra<Item, Query> = { extension: 'paging', parameters: { limit } as Query };
  const isFilter = ({ isWanted }: FilterExtra<Item, Query>) => isWanted !== undefined;
  // Of all items, most may not be wanted.
  const request = (parameters: Partial<Query>, without: readonly FilterExtra<Item, Query>[]) => {
    const hasLargePages = without.some(isFilter) && parameters.limit !== undefined;
    return { ...query, ...parameters, ...(hasLargePages && { limit: maxPageSize }) };
  };
  const { data, supported, missing } = await sendExtended<
    ListPage<Item>,
    Query,
    FilterExtra<Item, Query>
  >((parameters, without) => list(request(parameters, without)), [...extras, paging]);
  const filters = missing.filter(isFilter);
  const select = (page: ListPage<Item>): ListPage<Item> => {
    if (filters.length === 0) return page;
    const isWanted = (item: Item) =>
      filters.every((one) => one.isWanted?.(assertObject(item)) ?? true);
    const { data, nextCursor } = page;
    return { data: data.filter(isWanted), nextCursor, isFiltered: true };
  };
  yield select(data);
  if (data.nextCursor === null) return;
  const rest = { ...request(mergeParameters(supported), missing), cursor: data.nextCursor };
  for await (const page of list(rest).pages()) yield select(page);
}
