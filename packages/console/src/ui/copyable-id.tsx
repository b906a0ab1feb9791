import { Copy } from './copy';

/** An ID, whole, with a button that copies it. */
export function CopyableId({ id }: { id: string }) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 2, minWidth: 0 }}>
      <code style={{ overflowWrap: 'anywhere' }}>{id}</code>
      <Copy text={id} what={id} />
    </span>
  );
}
