/** The script of `/docs`: Swagger UI on `openapi.json` beside it. */
import { completeMarkup } from './accessibility';
import { codeSamples } from './code-samples';
import { operationPath } from './operation-path';
import { receiverEvents } from './receiver-events';
import type { Plugin } from './system';

/** The global of `swagger-ui-bundle.js`. */
declare const SwaggerUIBundle: ((options: object) => void) & { plugins: Record<string, Plugin> };

/** Swagger UI has dark colours, but only its top bar, which this page does not have, selects them. */
function followColorScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}

/** Accepts a key that was pasted with `Bearer` or with spaces: Swagger UI adds `Bearer` itself. */
function removeRepeatedScheme<Request extends { headers: Record<string, string> }>(
  request: Request,
): Request {
  const { Authorization: sent } = request.headers;
  if (sent !== undefined) {
    request.headers.Authorization = `Bearer ${sent.replace(/^(\s*Bearer\b)+/i, '').trim()}`;
  }
  return request;
}

followColorScheme();
const root = document.getElementById('api-reference');
if (root === null) throw new Error('The page has no element for the API reference.');
SwaggerUIBundle({
  domNode: root,
  url: 'openapi.json',
  requestInterceptor: removeRepeatedScheme,
  deepLinking: true,
  // Schemas are shown where they are used; the list of all of them is closed at first.
  defaultModelsExpandDepth: 0,
  // Otherwise the document would be sent to a service on the Internet.
  validatorUrl: null,
  // The key is kept in memory until the page is closed.
  persistAuthorization: false,
  syntaxHighlight: { theme: 'tomorrow-night' },
  plugins: [codeSamples, operationPath, receiverEvents],
});
completeMarkup(root);
