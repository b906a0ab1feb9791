import { Link } from '@tanstack/react-router';
import type { ListPath } from '../kernel/places';
import { Empty } from './notices';

/** Is shown instead of one thing that the service does not show to this account. */
export function Missing({
  what,
  id,
  why,
  list,
}: {
  /** Such as "order". */
  what: string;
  id: string;
  /** Completes the sentence that begins with the ID. */
  why: string;
  list: ListPath;
}) {
  return (
    <Empty title={`There is no such ${what}`} isPage>
      <p>
        <code>{id}</code> {why}
      </p>
      <Link to={list}>To the list</Link>
    </Empty>
  );
}

/** Is shown instead of the rows of a list when its filters match none. */
export function NoMatch({
  what,
  list,
}: {
  /** Such as "order". */
  what: string;
  list: ListPath;
}) {
  return (
    <Empty title={`No ${what} matches`}>
      <Link to={list}>Clear the filters</Link>
    </Empty>
  );
}
