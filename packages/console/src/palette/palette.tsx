import { Autocomplete } from '@base-ui/react/autocomplete';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { usePreferences } from '../kernel/preferences';
import { Dialog } from '../ui/dialog';
import { type Entry, findEntries } from './entries';
import { listKnown } from './known';
import styles from './palette.module.css';

/** Leads to pages and to whatever an ID names. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { history, basepath } = useRouter();
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const known = useMemo(() => listKnown(queries), [queries]);
  const entries = findEntries(text, usePreferences().views, known);
  return (
    <Dialog title="Go to" onClose={onClose}>
      <CSPProvider disableStyleElements>
        <Autocomplete.Root
          inline
          open
          mode="none"
          autoHighlight="always"
          keepHighlight
          items={entries}
          value={text}
          itemToStringValue={(entry: Entry) => entry.text}
          onValueChange={(value, { reason }) => {
            // A chosen entry is where one goes, and no text.
            if (reason !== 'item-press') setText(value);
          }}
        >
          <Autocomplete.Input
            className={styles.input}
            aria-label="A page, an ID, a name or a URL"
            placeholder="A page, an ID (ord_…, whk_…), a name or a URL"
            spellCheck={false}
          />
          <Autocomplete.Empty>
            <p className={styles.empty}>
              Nothing matches. An ID has 26 characters after its prefix; names and URLs are found if
              a page has shown them.
            </p>
          </Autocomplete.Empty>
          <Autocomplete.List className={styles.list}>
            {(entry: Entry) => (
              <Autocomplete.Item
                key={entry.href}
                value={entry}
                className={styles.item}
                onClick={() => {
                  history.push(`${basepath === '/' ? '' : basepath}${entry.href}`);
                  onClose();
                }}
              >
                {entry.text}
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Root>
      </CSPProvider>
    </Dialog>
  );
}
