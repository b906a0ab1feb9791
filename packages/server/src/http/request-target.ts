import type { RequestListener } from 'node:http';

const schemeAndAuthority = /^https?:\/\/[^/?#]*/i;

/**
 * The path and query of a request's target, whichever form it was sent in. A server has to accept whole URLs
 * too; Express would leave them to a parser that throws for some of them. Source: RFC 9112, section 3.2.2.
 */
export function toOriginForm(target: string): string {
  const rest = target.replace(schemeAndAuthority, '');
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  // `*` and what is no URL of HTTP: there is no such path.
  return rest.startsWith('/') ? rest : `/${encodeURIComponent(rest)}`;
}

/** Hands requests on with their target in origin form. */
export function withOriginForm(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { url = '/' } = request;
    if (!url.startsWith('/')) request.url = toOriginForm(url);
    listener(request, response);
  };
}
