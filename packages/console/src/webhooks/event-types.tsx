import { allEventTypes, type EventType } from '@tradepost/sdk';
import { useExtension } from '../kernel/extensions';
import styles from './event-types.module.css';

/** A choice of event types. */
export function EventTypes({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (chosen: EventType[]) => void;
}) {
  const hasDisabled = useExtension('webhooks.disabling');
  const types = allEventTypes.filter((type) => type !== 'webhook.disabled' || hasDisabled);
  return (
    <fieldset className={styles.types}>
      <legend>Events</legend>
      {types.map((type) => (
        <label key={type}>
          <input
            type="checkbox"
            checked={chosen.includes(type)}
            onChange={({ target }) =>
              onChange(
                types.filter((one) => (one === type ? target.checked : chosen.includes(one))),
              )
            }
          />{' '}
          {type}
        </label>
      ))}
    </fieldset>
  );
}
