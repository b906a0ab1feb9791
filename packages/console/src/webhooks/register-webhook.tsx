import { useMutation } from '@tanstack/react-query';
import {
  type CreatedWebhook,
  type EventType,
  ValidationError,
  webhookLimits,
} from '@tradepost/sdk';
import { useState } from 'react';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { useRefresh } from '../kernel/queries';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import form from '../ui/form.module.css';
import { HowTo } from '../ui/how-to';
import { Failure } from '../ui/notices';
import { EventTypes } from './event-types';
import { SecretOnce } from './secret-once';
import { toWebhookOptions } from './webhook-words';

/** A dialog that registers a webhook and shows its secret, once. */
export function RegisterWebhook({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const hasSettings = useExtension('webhooks.settings');
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<EventType[]>(['order.created', 'order.status_changed']);
  const params = {
    url: url.trim(),
    events,
    ...(description.trim() !== '' && { description: description.trim() }),
  };
  const register = useMutation<CreatedWebhook>({
    mutationFn: () => client.webhooks.create(params),
    onSettled: useRefresh('webhooks', 'summary'),
  });
  const webhook = register.data;
  if (webhook !== undefined) {
    return (
      <Dialog title="Registered" onClose={null}>
        <SecretOnce secret={webhook.secret} onDone={onClose} />
      </Dialog>
    );
  }
  const problems =
    register.error instanceof ValidationError ? (register.error.problem?.errors ?? []) : [];
  const ofUrl = problems.find(({ path }) => path === 'url');
  return (
    <Dialog title="Register a webhook" onClose={onClose}>
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          register.mutate();
        }}
      >
        <label className={form.field}>
          <span>URL</span>
          <input
            type="url"
            required
            autoComplete="off"
            placeholder="https://"
            value={url}
            aria-invalid={ofUrl !== undefined}
            aria-describedby="url-problem"
            onChange={({ target }) => {
              setUrl(target.value);
              if (register.isError) register.reset();
            }}
          />
          {ofUrl !== undefined && (
            <span id="url-problem" className={form.problem} role="alert">
              It {ofUrl.message}.
            </span>
          )}
        </label>
        {hasSettings && (
          <label className={form.field}>
            <span>Description</span>
            <input
              value={description}
              maxLength={webhookLimits.description.max}
              onChange={({ target }) => setDescription(target.value)}
            />
            <small>Optional. What it is for.</small>
          </label>
        )}
        <EventTypes chosen={events} onChange={setEvents} />
        {register.isError && ofUrl === undefined && (
          <Failure error={register.error} what="register it" />
        )}
        <HowTo
          cli={[
            'webhooks',
            'register',
            ...toWebhookOptions({ ...params, url: url || 'https://…' }),
          ]}
          sdk={`await tradepost.webhooks.create(${JSON.stringify({ ...params, url: url || 'https://…' })})`}
        />
        <div className={form.buttons}>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            type="submit"
            busy={register.isPending}
            disabled={events.length === 0}
          >
            Register
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
