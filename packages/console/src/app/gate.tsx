import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { createQueryClient } from '../kernel/queries';
import { adoptSession, useIsRejected, useSession, wasRejected } from '../kernel/session';
import { signOut } from '../kernel/sign-out';
import { startLive } from '../live/live';
import { KeyForm, SignIn } from '../sign-in/sign-in';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import form from '../ui/form.module.css';
import { Shell } from './shell';

/** Shows the pages to who is signed in, and asks others to sign in; the address stays. */
export function Gate() {
  const session = useSession();
  const [hasAsked, setAsked] = useState(false);
  useEffect(() => {
    void adoptSession().then(() => setAsked(true));
  }, []);
  // The key makes React build all pages again for another account, and keep them for the same one.
  if (session !== null) return <SignedIn key={session.account?.id ?? session.key} />;
  if (!hasAsked) return null;
  return <SignIn>{wasRejected() && <p role="status">Your session is over.</p>}</SignIn>;
}

function SignedIn() {
  const client = useClient();
  // Of this account alone: what one account saw is not for the next.
  const [queries] = useState(createQueryClient);
  const account = useSession()?.account?.id;
  const hasEvents = useExtension('events');
  const isRejected = useIsRejected();
  useEffect(() => {
    if (isRejected) return;
    // After signing in again, all is read again.
    void queries.invalidateQueries();
    return startLive(client, queries, { account, hasEvents });
  }, [client, queries, account, hasEvents, isRejected]);
  return (
    <QueryClientProvider client={queries}>
      <Shell />
      {isRejected && (
        <Dialog title="Your session is over" onClose={null}>
          <div className={form.form}>
            <p>
              The service no longer accepts its key. What you see and what you typed stays: open a
              new link of <code>tradepost open</code> in this browser, or use an API key of the same
              account.
            </p>
            <KeyForm />
            <div className={form.buttons}>
              <Button onClick={signOut}>Sign out instead</Button>
            </div>
          </div>
        </Dialog>
      )}
    </QueryClientProvider>
  );
}
