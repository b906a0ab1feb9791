import { Link } from '@tanstack/react-router';
import { Empty } from './notices';

/** Is shown for an address that no page has. */
export function NoSuchPage() {
  return (
    <Empty title="There is no such page" isPage>
      <p>The address may be that of another version of the console.</p>
      <Link to="/">Overview</Link>
    </Empty>
  );
}
