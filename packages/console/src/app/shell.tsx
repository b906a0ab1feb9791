import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, LogOut, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { KeyHelp } from '../help/help';
import { useExtension } from '../kernel/extensions';
import { keepFocus } from '../kernel/focus';
import { useKeys } from '../kernel/keys';
import { consoleUrl } from '../kernel/location';
import { usePart } from '../kernel/parts';
import { type Place, places } from '../kernel/places';
import { changePreferences, type Preferences, usePreferences } from '../kernel/preferences';
import { useFailure } from '../kernel/queries';
import { useSession } from '../kernel/session';
import { signOut } from '../kernel/sign-out';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Empty, Failure } from '../ui/notices';
import styles from './shell.module.css';

/** What is around every page. */
export function Shell() {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const navigate = useNavigate();
  const { times: mode } = usePreferences();
  useEffect(keepFocus, []);
  const { pathname } = useLocation();
  useEffect(() => {
    // On a phone the strip of pages is wider than the window.
    const current = document.querySelector('nav [aria-current="page"]');
    if (pathname !== '') current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  useKeys({
    ...Object.fromEntries(places.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])),
    t: () => changePreferences({ times: nextMode(mode) }),
    '?': () => setHelpOpen(true),
    '/': (event) => {
      event.preventDefault();
      const find = (what: string) => document.querySelector<HTMLElement>(`search ${what}`);
      (find('[data-filter]') ?? find('select'))?.focus();
    },
    '$mod+k': (event) => {
      event.preventDefault();
      setPaletteOpen(true);
    },
  });
  return (
    <div className={styles.shell}>
      {isPaletteOpen && <LaterPalette onClose={() => setPaletteOpen(false)} />}
      {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.side}>
        <Link to="/" className={styles.brand}>
          <img src={new URL('favicon.svg', consoleUrl).href} alt="" width="24" height="24" />
          Tradepost
        </Link>
        <Button icon={<Search />} className={styles.search} onClick={() => setPaletteOpen(true)}>
          Go to <kbd>Ctrl K</kbd>
        </Button>
        <nav aria-label="Pages" className={styles.pages}>
          <ul>
            {places.map((place) => (
              <PlaceLink key={place.to} place={place} />
            ))}
          </ul>
        </nav>
        <Who />
      </header>
      <main id="main" tabIndex={-1} className={styles.main}>
        <Content />
      </main>
    </div>
  );
}

/** The palette, or why it could not be loaded. */
function LaterPalette({ onClose }: { onClose: () => void }) {
  const query = usePart('palette', () => import('../palette/palette'));
  const error = useFailure(query);
  const Palette = query.data;
  if (Palette !== undefined) return <Palette onClose={onClose} />;
  if (error === null) return null;
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Failure error={error} what="load the palette" onRetry={() => void query.refetch()} />
    </Dialog>
  );
}

/** The page, unless the service lacks what it is about. */
function Content() {
  const { pathname } = useLocation();
  const place = places.find(({ to }) => to !== '/' && `${pathname}/`.startsWith(`${to}/`));
  const isThere = useExtension(place?.extension ?? null);
  if (isThere) return <Outlet />;
  return (
    <Empty title={`This service has no ${place?.name.toLowerCase()}`}>
      <Link to="/orders">Orders</Link>
    </Empty>
  );
}

function PlaceLink({ place: { to, name, icon: Icon, extension } }: { place: Place }) {
  const isThere = useExtension(extension);
  if (!isThere) return null;
  return (
    <li>
      <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
        <Icon aria-hidden />
        <span>{name}</span>
      </Link>
    </li>
  );
}

const themes = { system: 'System', light: 'Light', dark: 'Dark' } as const;
const times = { relative: 'How long ago', local: 'Local time', utc: 'UTC' } as const;

function nextMode(mode: Preferences['times']): Preferences['times'] {
  const modes = Object.keys(times) as Preferences['times'][];
  return modes[(modes.indexOf(mode) + 1) % modes.length] ?? 'relative';
}

function Who() {
  const account = useSession()?.account ?? null;
  const preferences = usePreferences();
  return (
    <details className={styles.who} name="menu">
      <summary>
        <span className={styles.name}>{account?.name ?? 'Signed in'}</span>
        <span className={styles.kind}>
          {account?.kind ?? 'API key'}
          {account?.key.readOnly ? ', read-only' : ''}
        </span>
        <ChevronsUpDown aria-hidden />
      </summary>
      <div className={styles.menu}>
        <Choice
          name="Theme"
          of={themes}
          value={preferences.theme}
          onChange={(theme) => changePreferences({ theme })}
        />
        <Choice
          name="Times"
          of={times}
          value={preferences.times}
          onChange={(mode) => changePreferences({ times: mode })}
        />
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={preferences.keys}
            onChange={({ target }) => changePreferences({ keys: target.checked })}
          />
          Single keys are shortcuts
        </label>
        <Button icon={<LogOut />} onClick={signOut}>
          Sign out
        </Button>
      </div>
    </details>
  );
}

function Choice<Value extends string>({
  name,
  of,
  value,
  onChange,
}: {
  name: string;
  of: Record<Value, string>;
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <label>
      {name}
      <select value={value} onChange={({ target }) => onChange(target.value as Value)}>
        {Object.entries<string>(of).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
