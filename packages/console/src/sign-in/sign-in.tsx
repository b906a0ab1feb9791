import { type Account, createSession, NotFoundError } from '@tradepost/sdk';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { clientOptions, createClient } from '../kernel/client';
import { adoptSession, getSession, type Session, startSession } from '../kernel/session';
import { Button } from '../ui/button';
import form from '../ui/form.module.css';
import { describeFailure, Failure, Loading } from '../ui/notices';
import styles from './sign-in.module.css';

/** The code of the link that this page was opened with. It is removed from the address at once, and so from the history. */
const code = takeCode();

/** Whether the address is that of a link. */
function hasCode(): boolean {
  return location.pathname.endsWith('/sign-in') && location.hash.length > 1;
}

function takeCode(): string | null {
  if (!hasCode()) return null;
  const { hash, pathname, search } = location;
  history.replaceState(null, '', pathname + search);
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    // An invalid escape. The service says that this is no code.
    return hash.slice(1);
  }
}

// Another link in the tab of a link that failed changes only the fragment, and loads nothing.
addEventListener('hashchange', () => {
  if (hasCode()) location.reload();
});

/** How far a link is. */
type State =
  | { type: 'exchanging' }
  /** It is of another account than the one that is signed in, and may be someone else's. */
  | { type: 'asking'; now: Session; offered: Session }
  | { type: 'failed'; error: unknown }
  | { type: 'none' };

async function exchange(code: string): Promise<State | null> {
  // The session of another tab counts too.
  await adoptSession();
  const offered = { ...(await createSession(code, clientOptions)), isOwnKey: true };
  const now = getSession();
  if (now !== null && now.account?.id !== offered.account.id) {
    return { type: 'asking', now, offered };
  }
  startSession(offered);
  if (now?.isOwnKey) revoke(now);
  return null;
}

/** Ends a session that nobody uses any more: it would be valid for hours. */
function revoke({ key, account }: Session): void {
  if (account !== null) void createClient(key).keys.revoke(account.key.id).safe();
}

/** Exchanges the code of a link for a session. */
export function SignInByLink({ onDone }: { onDone: () => void }) {
  const [state, setState] = useState<State>({ type: code === null ? 'none' : 'exchanging' });
  const sent = useRef(false);
  useEffect(() => {
    if (code === null || sent.current) return;
    // A code works once, and React calls effects twice while developing.
    sent.current = true;
    exchange(code).then(
      (next) => (next === null ? onDone() : setState(next)),
      (error: unknown) => setState({ type: 'failed', error }),
    );
  }, [onDone]);
  if (state.type === 'exchanging') return <Loading what="your session" />;
  if (state.type === 'asking') return <OtherAccount {...state} onDone={onDone} />;
  return (
    <SignIn onDone={onDone}>
      {state.type === 'failed' && <Failure error={state.error} what="sign you in" />}
    </SignIn>
  );
}

/** Asks before a link of another account replaces the session: its sender could read what the person enters there. */
function OtherAccount({
  now,
  offered,
  onDone,
}: {
  now: Session;
  offered: Session;
  onDone: () => void;
}) {
  function stay() {
    revoke(offered);
    onDone();
  }
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>This link signs in to another account</h1>
        <p>
          You are signed in as <strong>{nameOf(now)}</strong>. The link signs in as{' '}
          <strong>{nameOf(offered)}</strong>. If you did not create it, stay.
        </p>
        <div className={form.buttons}>
          <Button
            onClick={() => {
              startSession(offered);
              onDone();
            }}
          >
            Sign in as {nameOf(offered)}
          </Button>
          <Button look="primary" onClick={stay}>
            Stay
          </Button>
        </div>
      </div>
    </main>
  );
}

function nameOf({ account }: Session): ReactNode {
  return <bdi>{account?.name ?? 'an API key'}</bdi>;
}

/** Asks for a link or an API key. */
export function SignIn({
  children,
  onDone,
}: {
  children?: ReactNode;
  /** Is called when a session has started, where nothing else shows the pages then. */
  onDone?: () => void;
}) {
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>Sign in to Tradepost</h1>
        {children}
        <p>
          Run <code>tradepost open</code> where you use the command line. It opens a link that signs
          you in once.
        </p>
        <KeyForm onDone={onDone} />
      </div>
    </main>
  );
}

/** A form that signs in with an API key. */
export function KeyForm({ onDone }: { onDone?: (() => void) | undefined }) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get('key') ?? '').trim();
    if (key === '') return;
    setBusy(true);
    setError(null);
    try {
      startSession({ key, account: await findAccount(key), isOwnKey: false });
      onDone?.();
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  }
  return (
    <form className={form.form} onSubmit={submit}>
      <label className={form.field}>
        <span>Or use an API key</span>
        <input
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="tpk_…"
          aria-invalid={error !== null}
          aria-describedby="key-help"
        />
        <small id="key-help">
          The tabs of this console keep it until you close them or sign out.
        </small>
      </label>
      {error !== null && (
        <p className={form.problem} role="alert">
          {describeFailure(error)}
        </p>
      )}
      <div className={form.buttons}>
        <Button look="primary" type="submit" busy={busy}>
          Sign in
        </Button>
      </div>
    </form>
  );
}

/** Returns the account of a key; null if the service does not say. */
async function findAccount(key: string): Promise<Account | null> {
  const client = createClient(key);
  try {
    return await client.account.get();
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    // It has only the seven endpoints. This one says whether the key is right.
    await client.orders.list();
    return null;
  }
}
