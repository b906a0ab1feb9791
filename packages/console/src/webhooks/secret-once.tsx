import { Button } from '../ui/button';
import { Copy } from '../ui/copy';
import form from '../ui/form.module.css';
import styles from './secret-once.module.css';

/** Shows a secret that no other response has. */
export function SecretOnce({
  secret,
  onDone,
}: {
  /** Undefined if the service issues secrets in another way. */
  secret: string | undefined;
  onDone: () => void;
}) {
  return (
    <div className={form.form}>
      {secret === undefined ? (
        <p>The service sent no secret. Its operator says how you get it.</p>
      ) : (
        <>
          <p>
            This is the secret with which each delivery is signed. It is shown <strong>once</strong>
            : store it where your receiver reads it.
          </p>
          <p className={styles.secret}>
            <code>{secret}</code>
            <Copy text={secret} what="the secret" />
          </p>
        </>
      )}
      <div className={form.buttons}>
        <Button look="primary" onClick={onDone}>
          {secret === undefined ? 'Close' : 'I have stored it'}
        </Button>
      </div>
    </div>
  );
}
