import { X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button } from './button';
import styles from './dialog.module.css';

/** What a person fills in first. */
const fields = 'input:not([type=checkbox], [type=radio]), select, textarea';

/** A modal dialog. It is open while it is rendered, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  /** Null if it cannot be closed. */
  onClose: (() => void) | null;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Closed before it is removed, it gives the focus back to what opened it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog?.open === false) dialog.showModal();
    // The browser would choose the first button, which closes it.
    dialog?.querySelector<HTMLElement>(fields)?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={styles.dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onKeyDown={(event) => {
        // A second Escape would close it without an event.
        if (event.key === 'Escape') event.preventDefault();
        if (event.key === 'Escape') onClose?.();
        event.stopPropagation();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        {onClose !== null && (
          <Button look="quiet" aria-label="Close" icon={<X />} onClick={onClose} />
        )}
      </header>
      {children}
    </dialog>
  );
}
