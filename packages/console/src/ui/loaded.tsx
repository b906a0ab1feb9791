import type { UseQueryResult } from '@tanstack/react-query';
import { NotFoundError } from '@tradepost/sdk';
import type { ReactNode } from 'react';
import { useFailure } from '../kernel/queries';
import { Failure, Loading, Stale } from './notices';
import { PageHead } from './page';

/** Shows what a query returned; what it waits for before; why it failed; and while it cannot be read again, how old it is. */
export function Loaded<Data>({
  query,
  what,
  notFound,
  children,
}: {
  query: UseQueryResult<Data>;
  /** Such as "the order". */
  what: string;
  /** What a page of one thing shows if the service says that it does not exist. @default the failure */
  notFound?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { data, dataUpdatedAt } = query;
  const error = useFailure(query);
  const retry = () => void query.refetch();
  if (data === undefined && error === null) return <Loading what={what} />;
  if (notFound !== undefined && error instanceof NotFoundError) return notFound;
  if (data === undefined) {
    return (
      <>
        {notFound !== undefined && <PageHead title={what.replace('the ', 'The ')} />}
        <Failure error={error} what={`load ${what}`} onRetry={retry} />
      </>
    );
  }
  return (
    <>
      {error !== null && <Stale since={dataUpdatedAt} error={error} onRetry={retry} />}
      {children(data)}
    </>
  );
}
