import { isTradepostError } from '@tradepost/sdk';
import { type ReactNode, useEffect, useState } from 'react';
import { formatAgo } from '../kernel/now';
import { Button } from './button';
import { describeError } from './describe-error';
import styles from './notices.module.css';
import { useNow } from './time';

/** How long something loads before the page says so, in milliseconds. */
const patienceMs = 200;

/** Says that something loads, after a moment. */
export function Loading({ what }: { what: string }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className={styles.loading} role="status">
      {isLate && (
        <>
          <span className={styles.spinner} aria-hidden /> Loading {what} …
        </>
      )}
    </p>
  );
}

/** Says in a line why a call failed, with the request to name to support. */
export function describeFailure(error: unknown): string {
  const requestId = isTradepostError(error) ? error.requestId : null;
  return `${describeError(error)}${requestId === null ? '' : ` (request ${requestId})`}`;
}

/** Says what failed, with the request to name to support. */
export function Failure({
  error,
  what,
  onRetry,
}: {
  error: unknown;
  /** Completes "Could not". */
  what: string;
  onRetry?: () => void;
}) {
  const requestId = isTradepostError(error) ? error.requestId : null;
  return (
    <div className={styles.failure} role="alert">
      <div>
        <strong>Could not {what}.</strong> {describeError(error)}
        {isTradepostError(error) &&
          error.mayHaveBeenApplied &&
          ' It may have been done all the same: look before you repeat it.'}
        {requestId !== null && (
          <p className={styles.request}>
            Request <code>{requestId}</code>
          </p>
        )}
      </div>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Says how old the shown data is, while newer data cannot be loaded, and why not. */
export function Stale({
  since,
  error,
  onRetry,
}: {
  since: number;
  error: unknown;
  onRetry: () => void;
}) {
  const now = useNow();
  return (
    <div className={styles.stale} role="status">
      <span>
        {describeError(error)} What you see is from {formatAgo(Math.min(since, now), now)}.
      </span>
      <Button look="quiet" onClick={onRetry}>
        Try now
      </Button>
    </div>
  );
}

/** Is shown instead of a list whose period ends before it begins. */
export function NoPeriod() {
  return (
    <Empty title="The period ends before it begins">
      <p>Choose other times.</p>
    </Empty>
  );
}

/** Says that there is nothing, and what to do about it. */
export function Empty({
  title,
  isPage = false,
  children,
}: {
  title: string;
  /** Whether it stands for a whole page, and has its title. */
  isPage?: boolean;
  children?: ReactNode;
}) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={styles.empty}>
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}
