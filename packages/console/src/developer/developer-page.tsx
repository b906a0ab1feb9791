import { getRouteApi, Link } from '@tanstack/react-router';
import { NoSuchPage } from '../ui/no-such-page';
import { PageHead } from '../ui/page';
import tabs from '../ui/tabs.module.css';
import { SignatureCheck } from './signature';
import { Snippets } from './snippets';

const route = getRouteApi('/gate/developer/$part');

const parts = { snippets: 'Snippets', signature: 'Signature' } as const;

/** What helps to write programs for this service. */
export function DeveloperPage() {
  const { part } = route.useParams();
  if (!Object.hasOwn(parts, part)) return <NoSuchPage />;
  return (
    <>
      <PageHead title="Developer" />
      <nav aria-label="For developers" className={tabs.tabs}>
        {Object.entries(parts).map(([name, text]) => (
          <Link key={name} to="/developer/$part" params={{ part: name }} replace>
            {text}
          </Link>
        ))}
      </nav>
      {part === 'signature' ? <SignatureCheck /> : <Snippets />}
    </>
  );
}
