import type { ReactNode } from 'react';
import styles from './data-table.module.css';
import list from './list.module.css';

/** What a chart shows, in numbers. The first column says when. */
export function DataTable({
  name,
  columns,
  rows,
}: {
  name: string;
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
}) {
  const [first, ...others] = columns;
  return (
    <details className={styles.data}>
      <summary>{name}</summary>
      <div className={list.frame}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{first}</th>
              {others.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells }) => (
              <tr key={key}>
                <th scope="row">{cells[0]}</th>
                {others.map((column, index) => (
                  <td key={column}>{cells[index + 1]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
