import { useMutation } from '@tanstack/react-query';
import type { StagedSecret, WebhookDetails } from '@tradepost/sdk';
import { useState } from 'react';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { useRefresh } from '../kernel/queries';
import { useMayWrite } from '../kernel/session';
import { Button } from '../ui/button';
import form from '../ui/form.module.css';
import { HowTo } from '../ui/how-to';
import { Failure } from '../ui/notices';
import { Panel } from '../ui/page';
import { Time } from '../ui/time';
import styles from './rotate-secret.module.css';
import { SecretOnce } from './secret-once';

/** Replaces the secret of a webhook in two steps, so that no delivery is rejected. */
export function RotateSecret({ webhook }: { webhook: WebhookDetails }) {
  const client = useClient();
  const isThere = useExtension('webhooks.secrets');
  const mayWrite = useMayWrite();
  const onSettled = useRefresh('webhooks');
  const stage = useMutation<StagedSecret>({
    mutationFn: () => client.webhooks.stageSecret(webhook.id),
    onSettled,
  });
  const promote = useMutation({
    mutationFn: () => client.webhooks.promoteSecret(webhook.id),
    onSettled,
  });
  const { stagedSecretAt } = webhook;
  // The current secret cannot be had again.
  const [areReady, setReady] = useState(false);
  if (!isThere) return <p>This service does not replace secrets through its API.</p>;
  return (
    <ol className={styles.steps}>
      <li>
        <Panel title="1. Create a new secret">
          <div className={styles.step}>
            {stage.data === undefined ? (
              <>
                <p>
                  {stagedSecretAt === null ? (
                    <>
                      From then on <code>webhook-signature</code> has a signature by each of the
                      two, and <code>Service-Signature</code> stays with the current one.
                    </>
                  ) : (
                    <>
                      One was created <Time value={stagedSecretAt} />, and{' '}
                      <code>webhook-signature</code> has a signature by it too. Another one replaces
                      it.
                    </>
                  )}
                </p>
                {stage.isError && <Failure error={stage.error} what="create it" />}
                {mayWrite && (
                  <div className={form.buttons}>
                    <Button
                      look={stagedSecretAt === null ? 'primary' : 'plain'}
                      busy={stage.isPending}
                      onClick={() => stage.mutate()}
                    >
                      Create a new secret
                    </Button>
                  </div>
                )}
              </>
            ) : (
              <SecretOnce secret={stage.data.secret} onDone={stage.reset} />
            )}
          </div>
        </Panel>
      </li>
      <li>
        <Panel title="2. Let your receivers accept both">
          <div className={styles.step}>
            <p>
              The verifier takes a list of secrets: the new one and the current one. Deploy that, on
              all receivers.
            </p>
            {mayWrite && (
              <label>
                <input
                  type="checkbox"
                  checked={areReady}
                  onChange={({ target }) => setReady(target.checked)}
                />{' '}
                All receivers accept both
              </label>
            )}
          </div>
        </Panel>
      </li>
      <li>
        <Panel title="3. Use the new one">
          <div className={styles.step}>
            <p>
              From then on deliveries are signed with the new secret, also those that wait. The
              current one is forgotten: then remove it from your receivers.
            </p>
            {promote.isSuccess && <p role="status">The new secret is in use.</p>}
            {promote.isError && <Failure error={promote.error} what="use it" />}
            {mayWrite && (
              <div className={form.buttons}>
                <Button
                  look="primary"
                  disabled={stagedSecretAt === null || !areReady}
                  busy={promote.isPending}
                  onClick={() => promote.mutate()}
                >
                  Use the new secret
                </Button>
              </div>
            )}
          </div>
        </Panel>
      </li>
      <li>
        <HowTo
          cli={[
            ...['webhooks', 'rotate-secret', webhook.id],
            ...(stagedSecretAt === null ? [] : ['--promote']),
          ]}
          sdk={`await tradepost.webhooks.${stagedSecretAt === null ? 'stageSecret' : 'promoteSecret'}('${webhook.id}')`}
        />
      </li>
    </ol>
  );
}
