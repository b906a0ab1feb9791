import { toCommand } from '@tradepost/sdk/explain';
import { Terminal } from 'lucide-react';
import { Copy } from './copy';
import styles from './how-to.module.css';

/** The same as a command and as a call. */
export interface HowToLines {
  /** The arguments of `tradepost`, or why no command does the same. */
  cli: readonly string[] | { none: string };
  sdk: string;
}

/** Shows what a page or an action is as a command and as a call of the SDK. */
export function HowTo({
  title = 'As a command, in code',
  cli,
  sdk,
}: HowToLines & {
  /** What tells it from another one on the page. */
  title?: string;
}) {
  return (
    <details className={styles.howTo}>
      <summary>
        <Terminal aria-hidden /> {title}
      </summary>
      <dl>
        {'none' in cli ? (
          <div>
            <dt>Command</dt>
            <dd>{cli.none}</dd>
          </div>
        ) : (
          <Line name="Command" text={toCommand(['tradepost', ...cli])} />
        )}
        <Line name="SDK" text={sdk} />
      </dl>
    </details>
  );
}

function Line({ name, text }: { name: string; text: string | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {text === null ? (
          <span>none: a value has characters that nobody sees</span>
        ) : (
          <>
            <code dir="ltr">{text}</code>
            <Copy text={text} what={name} />
          </>
        )}
      </dd>
    </div>
  );
}
