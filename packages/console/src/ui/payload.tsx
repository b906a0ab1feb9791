import { hiddenCharacters } from '@tradepost/sdk/explain';
import { useMemo, useState } from 'react';
import { Button } from './button';
import { Copy } from './copy';
import { countOf } from './count';
import { formatJson } from './format-json';
import styles from './payload.module.css';

/** How many characters are shown at first. More make a page slow. */
const shownLength = 20_000;

/** Characters that nobody sees, some of which turn the direction of what follows; except those that lay out a text. */
const hidden = new RegExp(`((?![\\n\\t])${hiddenCharacters.source})`, 'u');

/** Shows each hidden character by its number, and keeps what it does to itself. The text stays what it is. */
function Characters({ text }: { text: string }) {
  return text.split(hidden).map((part, index) => {
    if (index % 2 === 0) return part;
    const code = part.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return (
      <span key={index} className={styles.hidden} data-code={`U+${code}`}>
        {part}
      </span>
    );
  });
}

/**
 * Shows a text as it is, character by character: numbers that JavaScript would round, and characters that change the direction of
 * text, are shown as they were sent.
 */
export function Payload({
  text,
  asSent = true,
}: {
  text: string;
  /** Whether these are the bytes that were sent: then their number is shown, and they can be laid out as JSON. */
  asSent?: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const [isJson, setJson] = useState(false);
  const json = useMemo(() => (asSent ? formatJson(text) : null), [text, asSent]);
  const shown = isJson && json !== null ? json : text;
  const isCut = !isWhole && shown.length > shownLength;
  return (
    <div className={styles.payload}>
      <div className={styles.bar}>
        {asSent && <span>{countOf(new TextEncoder().encode(text).length, 'byte')}</span>}
        {json !== null && (
          <label>
            <input
              type="checkbox"
              checked={isJson}
              onChange={({ target }) => setJson(target.checked)}
            />{' '}
            As JSON
          </label>
        )}
        <Copy text={text} what="the text" />
      </div>
      <pre dir="ltr">
        <code>
          <Characters text={isCut ? shown.slice(0, shownLength) : shown} />
        </code>
      </pre>
      {isCut && <Button onClick={() => setWhole(true)}>Show all of it</Button>}
    </div>
  );
}
