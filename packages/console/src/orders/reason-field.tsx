import { maxReasonLength } from '@tradepost/sdk';
import { useExtension } from '../kernel/extensions';
import form from '../ui/form.module.css';

/** Why a status is changed. Shows nothing where the service keeps no reasons. */
export function ReasonField({
  value,
  onChange,
}: {
  value: string;
  onChange: (reason: string) => void;
}) {
  if (!useExtension('orders.reason')) return null;
  return (
    <label className={form.field}>
      <span>Reason</span>
      <input
        value={value}
        maxLength={maxReasonLength}
        onChange={({ target }) => onChange(target.value)}
      />
      <small>Optional. Everyone who sees the order sees it.</small>
    </label>
  );
}
