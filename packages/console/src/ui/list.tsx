import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { memo, type ReactNode, useRef } from 'react';
import { useExtension } from '../kernel/extensions';
import { useKeys } from '../kernel/keys';
import { useFailure } from '../kernel/queries';
import { Button } from './button';
import { HowTo, type HowToLines } from './how-to';
import styles from './list.module.css';
import { Failure, Loading, Stale } from './notices';

/** How many rows a page of the API has. */
export const pageSize = 100;

/** Returns how many rows to ask for at once; nothing for a service that sends each list in one piece. */
export function usePaging(limit = pageSize): { limit?: number } {
  return useExtension('paging') ? { limit } : {};
}

/** A list of thousands of rows is of no use to anyone. Filters find what is beyond. */
const maxRows = 1_000;

/** What a list requests next, for `useInfiniteQuery`. */
export const pages = {
  initialPageParam: null as string | null,
  getNextPageParam: (page: { nextCursor?: string | null }, all: readonly unknown[]) =>
    all.length * pageSize >= maxRows ? null : (page.nextCursor ?? null),
};

/** A column. The first one has the link that opens the row. */
export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** `number`: at the end of its column; `narrow`: as wide as its content; `text`: cut off where it is too long. */
  kind?: 'number' | 'narrow' | 'text';
  /** Whether it is left out where a window is too narrow for all columns. */
  minor?: boolean;
}

interface Pages<Row> {
  pages: { data: readonly Row[] }[];
}

/** Which rows are selected. */
export interface Selection<Row> {
  isSelected: (row: Row) => boolean;
  /** @param through Also all rows between this one and the one that was selected last. */
  toggle: (row: Row, through: boolean) => void;
  /** Selects rows, or none of them. */
  setAll: (rows: readonly Row[], isSelected: boolean) => void;
  /** Says what a row is, to name its checkbox. */
  name: (row: Row) => string;
}

/**
 * A list that is loaded page by page, with what it shows while it loads, after a failure, when it is old or empty. `j` and `k` move
 * the focus along its links; Enter opens what has it.
 */
export function List<Row extends { id: string }>({
  query,
  what,
  columns,
  lines,
  more,
  empty,
  selection,
}: {
  query: UseInfiniteQueryResult<Pages<Row>>;
  /** Such as "orders". */
  what: string;
  columns: readonly Column<Row>[];
  lines: HowToLines & { cli: readonly string[] };
  /** What else is at the foot of the list. */
  more?: ReactNode;
  /** What is shown instead of no rows. */
  empty: ReactNode;
  selection?: Selection<Row> | undefined;
}) {
  const error = useFailure(query);
  const retry = () => void query.refetch();
  // A service without pages sends the whole list in one piece.
  const rows = (query.data?.pages.flatMap(({ data }) => data) ?? []).slice(0, maxRows);
  // Rows of the filters before, until those of the new ones are there.
  const isOutdated = query.isPlaceholderData;
  const limit = pageSize * Math.max(1, query.data?.pages.length ?? 1);
  const body = useRef<HTMLTableSectionElement>(null);
  const select = (through: boolean) => {
    const row = rows[findFocused(body.current)];
    if (row !== undefined && !isOutdated) selection?.toggle(row, through);
  };
  useKeys({
    j: () => moveFocus(body.current, 1),
    k: () => moveFocus(body.current, -1),
    ...(selection && { x: () => select(false), 'Shift+X': () => select(true) }),
  });
  if (error === null && (query.isPending || (isOutdated && rows.length === 0))) {
    return <Loading what={what} />;
  }
  if (query.data === undefined) {
    return <Failure error={error} what={`load the ${what}`} onRetry={retry} />;
  }
  return (
    <>
      {error !== null && <Stale since={query.dataUpdatedAt} error={error} onRetry={retry} />}
      {rows.length === 0 ? (
        empty
      ) : (
        <div className={styles.frame} aria-busy={isOutdated || undefined}>
          <table className={styles.table}>
            <thead>
              <tr>
                {selection !== undefined && (
                  <th scope="col" data-select>
                    <SelectAll rows={rows} selection={selection} disabled={isOutdated} />
                  </th>
                )}
                {columns.map(({ name, kind, minor }) => (
                  <th
                    key={name}
                    scope="col"
                    className={kind && styles[kind]}
                    data-minor={minor || undefined}
                  >
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody ref={body}>
              {rows.map((row) => (
                <tr key={row.id} data-selected={selection?.isSelected(row) || undefined}>
                  {selection !== undefined && (
                    <td className={styles.narrow} data-select>
                      <input
                        type="checkbox"
                        aria-label={`Select ${selection.name(row)}`}
                        checked={selection.isSelected(row)}
                        disabled={isOutdated}
                        onChange={() => undefined}
                        onClick={(event) => selection.toggle(row, event.shiftKey)}
                      />
                    </td>
                  )}
                  <Cells row={row} columns={columns} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <footer className={styles.foot}>
        <div>
          {more}
          {/* The command shows fewer by default. */}
          <HowTo cli={[...lines.cli, '--limit', String(limit)]} sdk={lines.sdk} />
        </div>
        {query.hasNextPage ? (
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        ) : (
          rows.length >= maxRows && (
            <span>The first {maxRows.toLocaleString('en')}. Filters find the others.</span>
          )
        )}
      </footer>
    </>
  );
}

/** The cells of a row. They are rendered again only if the row or the columns changed: most rows of a list that is read again did not. */
const Cells = memo(
  function Cells<Row>({ row, columns }: CellsProps<Row>) {
    return columns.map(({ name, cell, kind, minor }, index) => (
      <td
        key={name}
        className={kind && styles[kind]}
        data-name={name}
        data-first={index === 0 || undefined}
        data-minor={minor || undefined}
      >
        {cell(row)}
      </td>
    ));
  },
  (one, other) =>
    one.row === other.row &&
    one.columns.length === other.columns.length &&
    one.columns.every((column, index) => column === other.columns[index]),
) as <Row>(props: CellsProps<Row>) => ReactNode;

interface CellsProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
}

/** Selects all rows that are loaded, or none. A row that is not loaded is never selected: nobody has seen it. */
function SelectAll<Row>({
  rows,
  selection,
  disabled,
}: {
  rows: readonly Row[];
  selection: Selection<Row>;
  disabled: boolean;
}) {
  const count = rows.filter(selection.isSelected).length;
  const areAll = count === rows.length;
  return (
    <label>
      <input
        type="checkbox"
        checked={areAll}
        disabled={disabled}
        ref={(box) => {
          if (box !== null) box.indeterminate = count > 0 && !areAll;
        }}
        onChange={() => selection.setAll(rows, !areAll)}
      />{' '}
      <span>Select all {rows.length.toLocaleString('en')} that are loaded</span>
    </label>
  );
}

/** Returns the index of the row that has the focus; -1 if none has. */
function findFocused(body: HTMLTableSectionElement | null): number {
  return [...(body?.rows ?? [])].findIndex((row) => row.contains(document.activeElement));
}

/** Moves the focus to the link of the next or the previous row; from elsewhere to the first. */
function moveFocus(body: HTMLTableSectionElement | null, step: 1 | -1): void {
  const rows = [...(body?.rows ?? [])];
  const current = findFocused(body);
  const next = current === -1 ? rows[0] : rows[current + step];
  next?.querySelector('a')?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
