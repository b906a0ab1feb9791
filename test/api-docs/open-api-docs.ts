import type { BrowserContext, Locator, Page } from 'playwright-core';
import { findViolations, recordFaults } from '../helpers/page-faults';

/** How a visitor sees the page. */
export interface View {
  colorScheme: 'light' | 'dark';
  /** Width of the window in CSS pixels. */
  width: number;
}

/** The API reference in a browser. */
export interface ApiDocs {
  page: Page;
  /**
   * What must never happen: requests to another origin, violations of the content security policy, errors and warnings in
   * the console, and uncaught errors.
   */
  faults: string[];
  /** Returns the violations that axe finds in the page, or in a part of it, as it is now. */
  findViolations(part?: string): Promise<string[]>;
  /** Enters an API key and closes the dialog. */
  authorize(apiKey: string): Promise<void>;
  /** Opens an operation or event, if it is not open, and returns it. */
  openOperation(tag: string, operationId: string): Promise<Locator>;
}

/** Reports violations as console errors; a blocked image, for example, is not always reported by the browser. */
const reportPolicyViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI))`;

/** Opens `/docs` of a server, and waits until it shows the operations. */
export async function openApiDocs(
  context: BrowserContext,
  serverUrl: string,
  { colorScheme, width }: View = { colorScheme: 'light', width: 1280 },
): Promise<ApiDocs> {
  const page = await context.newPage();
  const faults = recordFaults(page, new URL(serverUrl).origin);
  await page.addInitScript(reportPolicyViolations);
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`${serverUrl}/docs`);
  await page.locator('.opblock').first().waitFor();
  return {
    page,
    faults,
    findViolations: (part) => findViolations(page, { part }),
    async authorize(apiKey) {
      await page.getByRole('button', { name: 'Authorize', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('input').fill(apiKey);
      await dialog.getByRole('button', { name: 'Authorize' }).click();
      await dialog.getByRole('button', { name: 'Logout' }).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    },
    async openOperation(tag, operationId) {
      const operation = page.locator(`[id="operations-${tag}-${operationId}"]`);
      const control = operation.locator('.opblock-summary-control');
      if ((await control.getAttribute('aria-expanded')) === 'false') await control.click();
      await operation
        .locator('.opblock-body .parameters-container, .opblock-body .opblock-section')
        .first()
        .waitFor();
      return operation;
    },
  };
}

/** Sends the request of an opened operation with "Try it out". Returns the status of the response. */
export async function tryOut(operation: Locator, body?: unknown): Promise<number> {
  await operation.getByRole('button', { name: 'Try it out' }).click();
  if (body !== undefined) {
    await operation.getByRole('textbox', { name: 'Request body' }).fill(JSON.stringify(body));
  }
  await operation.getByRole('button', { name: 'Execute' }).click();
  const status = operation.locator('.live-responses-table tbody .response-col_status');
  return Number((await status.textContent())?.trim());
}
