/** What can have the focus. */
const focusable =
  ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled, :disabled *)';

/** An ancestor, and which of its children has the element. */
type Step = readonly [ancestor: Element, index: number];

/** Returns the way from an element up to the page, or to the dialog that it is in. */
function findPath(element: Element): Step[] {
  const steps: Step[] = [];
  for (let child = element; child.parentElement !== null && !isRoot(child); ) {
    const parent = child.parentElement;
    steps.push([parent, [...parent.children].indexOf(child)]);
    child = parent;
  }
  return steps;
}

function isRoot(element: Element): boolean {
  return element.matches('main, dialog, body');
}

/** Finds what can have the focus instead: what took the place, what comes after it, or else what is before it. */
function findNext(path: readonly Step[]): HTMLElement | null {
  for (const [ancestor, index] of path) {
    if (!ancestor.isConnected) continue;
    const children = [...ancestor.children];
    for (const child of [...children.slice(index), ...children.slice(0, index).reverse()]) {
      const found = child.matches(focusable) ? child : child.querySelector(focusable);
      if (found instanceof HTMLElement && found.checkVisibility()) return found;
    }
    // A page is read from its beginning.
    if (ancestor.matches('main')) return ancestor as HTMLElement;
  }
  return document.querySelector<HTMLElement>('main');
}

/**
 * Keeps the focus near where it was when what has it is removed or disabled: a row that no longer matches, a button that did its work.
 * On another page the focus goes to the content. Browsers would move it to the document, and a user of the keyboard would have to
 * start from the top.
 *
 * @returns A function that stops it.
 */
export function keepFocus(): () => void {
  let last: HTMLElement | null = null;
  let path: Step[] = [];
  let address = location.pathname;
  const onFocus = ({ target }: FocusEvent) => {
    last = target instanceof HTMLElement ? target : null;
    path = last === null ? [] : findPath(last);
    address = location.pathname;
  };
  const observer = new MutationObserver(() => {
    if (last === null) return;
    const isLost = !last.isConnected || last.matches(':disabled');
    const { activeElement } = document;
    if (isLost && (activeElement === document.body || activeElement === last)) {
      const isSamePage = location.pathname === address;
      (isSamePage ? findNext(path) : document.querySelector<HTMLElement>('main'))?.focus({
        preventScroll: true,
      });
    } else if (isLost || activeElement !== last) {
      // The person has gone elsewhere.
      last = null;
    } else {
      path = findPath(last);
    }
  });
  document.addEventListener('focusin', onFocus);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
  return () => {
    document.removeEventListener('focusin', onFocus);
    observer.disconnect();
  };
}
