import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';

/**
 * Loads a file of the console.
 *
 * @throws What to do, if it could not be loaded.
 */
export async function loadFile<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const message =
      'A file of the console could not be loaded. Try again; after an upgrade of the service, reload the page.';
    throw new Error(message, { cause });
  }
}

/**
 * Loads a component when it is first shown: it has a file of its own, since few pages need it. After a failure it is loaded again when
 * it is shown again, or by `refetch`; `lazy` of React would fail for as long as the page is open.
 *
 * @param name Such as `chart`.
 */
export function usePart<Props>(
  name: string,
  load: () => Promise<{ default: ComponentType<Props> }>,
): UseQueryResult<ComponentType<Props>> {
  return useQuery({
    queryKey: ['part', name],
    queryFn: async () => (await loadFile(load)).default,
    staleTime: 'static',
  });
}
