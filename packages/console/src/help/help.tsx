import { places } from '../kernel/places';
import { Dialog } from '../ui/dialog';
import styles from './help.module.css';

/** What the keys do, by what people want to do. */
const keys = [
  ['Search, or go to an ID', 'Ctrl or ⌘ K'],
  ['Next and previous row', 'j, k'],
  ['Open the row', 'Enter'],
  ['Back to the list', 'u'],
  ['Select the row; all from the last one', 'x, Shift x'],
  ['Filter', '/'],
  ['Change the status', 'c'],
  ['Replay', 'r'],
  ['Pause or resume a webhook, or the list of events', 'p'],
  ['Show times as ages, local or UTC', 't'],
  ['This help', '?'],
] as const;

/** Lists the keys. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(([what, key]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
        {places.map(({ name, key }) => (
          <div key={name}>
            <dt>Go to: {name}</dt>
            <dd>
              <kbd>g {key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>Single keys can be turned off in the menu of your account.</p>
    </Dialog>
  );
}
