/** Attributes that a kind of element lacks. */
interface Addition {
  selector: string;
  attributes: Record<string, string> | ((element: Element) => Record<string, string>);
}

/** Names a field after the row of its table, such as `limit`, which is its visible label. */
function nameAfterRow(element: Element): Record<string, string> {
  const row = element.closest('tr')?.querySelector('.parameter__name');
  // The name is followed by a mark of required parameters.
  const name = row?.firstChild?.textContent?.trim();
  return name ? { 'aria-label': name } : {};
}

/** Names a part of an operation after it: `Responses of GET /v1/orders`. */
function nameAfterOperation(element: Element): Record<string, string> {
  const operation = element.closest('.opblock');
  const method = operation?.querySelector('.opblock-summary-method')?.textContent;
  const path = operation?.querySelector('[data-path]')?.getAttribute('data-path');
  return { 'aria-label': `Responses of ${method} ${path}` };
}

/** Names the choice of an example after its response: `Example of the response 404`. */
function nameAfterResponse(element: Element): Record<string, string> {
  const code = element.closest('.response')?.getAttribute('data-code');
  return { 'aria-label': code ? `Example of the response ${code}` : 'Example' };
}

/** The headings of the page start at level 1 and skip none, whatever their elements are. */
const headings: readonly Addition[] = [
  {
    selector: '.opblock-tag, .models > h4, .modal-ux-header h3',
    attributes: { 'aria-level': '2' },
  },
  { selector: '.opblock h4, .modal-ux-content :is(h4, h6)', attributes: { 'aria-level': '3' } },
  { selector: '.opblock h5', attributes: { 'aria-level': '4' } },
];

const landmarks: readonly Addition[] = [
  {
    selector: '.information-container',
    attributes: { role: 'region', 'aria-label': 'About this API' },
  },
  {
    selector: '.scheme-container',
    attributes: { role: 'region', 'aria-label': 'Server and authorization' },
  },
  {
    selector: '.modal-ux',
    attributes: { role: 'dialog', 'aria-label': 'Available authorizations' },
  },
  // It is a live region, and several operations can be open.
  { selector: '.responses-table[role=region]', attributes: nameAfterOperation },
];

const names: readonly Addition[] = [
  { selector: '#servers', attributes: { 'aria-label': 'Servers' } },
  { selector: '.close-modal', attributes: { 'aria-label': 'Close' } },
  // These names lack the words on the buttons, by which people who use speech find them.
  { selector: '.auth-btn-wrapper button[type=submit]', attributes: { 'aria-label': 'Authorize' } },
  {
    selector: '.auth-btn-wrapper button[aria-label="Remove authorization"]',
    attributes: { 'aria-label': 'Logout: remove authorization' },
  },
  { selector: '.parameters select, .parameters input', attributes: nameAfterRow },
  { selector: '.examples-select-element', attributes: nameAfterResponse },
  { selector: '.body-param__text', attributes: { 'aria-label': 'Request body' } },
  { selector: '.auth-container input', attributes: { type: 'password', autocomplete: 'off' } },
];

/** Code can be wider or higher than its box; only what has the focus can be scrolled with the keyboard. */
const scrollable: readonly Addition[] = [
  { selector: 'pre.microlight', attributes: { tabindex: '0' } },
];

/** Moves the focus into the dialog when it opens, and back to what had it before when it closes. */
function followDialog(root: Element): () => void {
  let opener: Element | null = null;
  let isOpen = false;
  return () => {
    const dialog = root.querySelector('.modal-ux');
    if ((dialog !== null) === isOpen) return;
    isOpen = dialog !== null;
    if (dialog !== null) {
      opener = document.activeElement;
      dialog.querySelector<HTMLElement>('input, .modal-ux-content button')?.focus();
    } else if (opener instanceof HTMLElement) {
      opener.focus();
    }
  };
}

const additions = [...headings, ...landmarks, ...names, ...scrollable];

function addAttributes(root: Element): void {
  for (const { selector, attributes } of additions) {
    for (const element of root.querySelectorAll(selector)) {
      const added = typeof attributes === 'function' ? attributes(element) : attributes;
      for (const [name, value] of Object.entries(added)) {
        if (element.getAttribute(name) !== value) element.setAttribute(name, value);
      }
    }
  }
}

/** Adds what the markup of Swagger UI lacks, now and after each change of it. */
export function completeMarkup(root: Element): void {
  const moveFocus = followDialog(root);
  const update = () => {
    addAttributes(root);
    moveFocus();
  };
  new MutationObserver(update).observe(root, { childList: true, subtree: true });
  update();
}
