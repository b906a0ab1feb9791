import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button';

/** Whether this browser lets a page copy. It does only over HTTPS and on this machine. */
const canCopy = 'clipboard' in navigator;

/** Copies a text. Shows nothing where the browser lets no page copy: the text can be selected there. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!canCopy) return null;
  return (
    <Button
      look="quiet"
      aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
      icon={copied ? <Check /> : <CopyIcon />}
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      }}
    />
  );
}
