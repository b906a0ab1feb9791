import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useKeys } from '../kernel/keys';
import { getLastSearch, type ListPath, places } from '../kernel/places';
import { CopyableId } from './copyable-id';
import styles from './page.module.css';

/** The head of a page: its title, which is also that of the tab, and its actions. */
export function PageHead({
  title,
  id,
  up,
  note,
  children,
}: {
  title: string;
  /** The ID of what is shown, beside the title. */
  id?: string;
  /** The list that it is from. `u` leads there, with the filters that it had. */
  up?: ListPath;
  note?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${[title, id].filter(Boolean).join(' ')} · Tradepost`;
  }, [title, id]);
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        {up !== undefined && <Up to={up} />}
        <h1>
          <bdi>{title}</bdi>
          {id !== undefined && (
            <>
              {' '}
              <CopyableId id={id} />
            </>
          )}
        </h1>
        {note !== undefined && <div className={styles.note}>{note}</div>}
      </div>
      {children !== undefined && <div className={styles.actions}>{children}</div>}
    </header>
  );
}

function Up({ to }: { to: ListPath }) {
  const navigate = useNavigate();
  const search = getLastSearch(to);
  useKeys({ u: () => void navigate({ to, search }) });
  return (
    <Link to={to} search={search} className={styles.up}>
      <ChevronLeft aria-hidden /> {places.find((place) => place.to === to)?.name}
    </Link>
  );
}

/** A part of a page, with a frame. */
export function Panel({
  title,
  action,
  children,
}: {
  title?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.panel}>
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {action}
        </header>
      )}
      {children}
    </section>
  );
}
