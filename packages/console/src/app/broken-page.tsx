import { QueryClientContext } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { useContext, useEffect } from 'react';
import { signOut } from '../kernel/sign-out';
import { Button } from '../ui/button';
import { Empty, Failure } from '../ui/notices';

/**
 * Is shown instead of a page, or of all pages, that could not be drawn: usually because the service sent something else than its
 * contract says. The navigation around the page stays.
 */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  // Null if the failure is outside the pages, where nothing provides it.
  const queries = useContext(QueryClientContext);
  useEffect(() => {
    document.title = 'Failed · Tradepost';
  }, []);
  async function retry() {
    // What could not be drawn is remembered, and would fail again.
    queries?.clear();
    await router.invalidate();
    reset();
  }
  // What the service says about the account may be what cannot be drawn.
  function leave() {
    signOut();
    reset();
  }
  return (
    <Empty title="This page failed">
      <Failure error={error} what="show this page" onRetry={() => void retry()} />
      <p>
        The service and this version of the console may not fit together: after an upgrade, reload
        the page. If it stays so, report the message and the address.
      </p>
      <p>
        <Link to="/">Overview</Link>{' '}
        <Button onClick={() => location.reload()}>Reload the page</Button>{' '}
        <Button onClick={leave}>Sign out</Button>
      </p>
    </Empty>
  );
}
