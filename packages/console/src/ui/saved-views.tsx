import { Link } from '@tanstack/react-router';
import { Bookmark, X } from 'lucide-react';
import { type FormEvent, useRef } from 'react';
import { changePreferences, type SavedView, usePreferences } from '../kernel/preferences';
import { parseSearch, stringifySearch } from '../kernel/search';
import { Button } from './button';
import styles from './saved-views.module.css';

/** The views that were saved of a page, in this browser, and a form that saves the current one. */
export function SavedViews({ page, search }: { page: '/orders' | '/deliveries'; search: object }) {
  const { views } = usePreferences();
  const menu = useRef<HTMLDetailsElement>(null);
  const query = stringifySearch(search);
  const own = views.filter((view) => view.page === page);
  const keep = (next: readonly SavedView[]) => changePreferences({ views: next });
  const close = () => menu.current?.removeAttribute('open');
  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    if (name === '') return;
    const others = views.filter((view) => view.page !== page || view.name !== name);
    keep([...others, { name, page, query }]);
    close();
  }
  return (
    <details ref={menu} className={styles.views} name="menu">
      <summary>
        <Bookmark aria-hidden /> Views
      </summary>
      <div className={styles.menu}>
        {own.length === 0 && <p>No view is saved yet. Views stay in this browser.</p>}
        <ul>
          {own.map((view) => (
            <li key={view.name}>
              <Link
                to={page}
                search={parseSearch(view.query)}
                activeOptions={{ exact: true }}
                onClick={close}
              >
                <bdi>{view.name}</bdi>
              </Link>
              <Button
                look="quiet"
                icon={<X />}
                aria-label={`Forget ${view.name}`}
                onClick={() => keep(views.filter((one) => one !== view))}
              />
            </li>
          ))}
        </ul>
        <form onSubmit={save}>
          <input
            name="name"
            aria-label="Name of this view"
            placeholder="Name of this view"
            maxLength={60}
            required
            autoComplete="off"
          />
          <Button type="submit">Save</Button>
        </form>
      </div>
    </details>
  );
}
