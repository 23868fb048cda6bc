import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/queries.ts';

/** All tenants that whoever is signed in has a role in; for operators, all there are. */
export function useTenants() {
  const { data, error } = useQuery({ ...apiQuery('listTenants', {}), staleTime: 60_000 });
  return { tenants: data?.tenants, error };
}
