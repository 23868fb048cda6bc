import {
  type AnswerOf,
  type AskedOf,
  type OperationName,
} from '@tributary/admin-client/create-admin-client';
import { ProblemError } from '@tributary/admin-client/problem-error';
import {
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { audited } from './audited.ts';
import { api } from './browser-client.ts';

/**
 * What is asked of the API: kept, shared between parts of a page, and asked again when it changed.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: forgetEndedSession }),
  mutationCache: new MutationCache({ onError: forgetEndedSession }),
  defaultOptions: {
    queries: { staleTime: 5_000, retry: mayHelp, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});

export const sessionKey = ['session'];

/** Whoever is not signed in any more is led to the sign-in, by the shell. */
function forgetEndedSession(error: unknown): void {
  if (error instanceof ProblemError && error.problem.status === 401) {
    queryClient.setQueryData(sessionKey, null);
  }
}

/** A refusal is final; what did not answer may answer next time. */
function mayHelp(failures: number, error: Error): boolean {
  const status = error instanceof ProblemError ? error.problem.status : 503;
  return status >= 500 && failures < 3;
}

/**
 * `useQuery(apiQuery('showTenant', { path: { tenantId } }))`. The key begins with the tenant, by
 * which live changes find it.
 */
export function apiQuery<Name extends OperationName>(name: Name, asked: AskedOf<Name>) {
  return queryOptions({
    queryKey: apiKey(name, asked),
    queryFn: ({ signal }) => api.call(name, asked, { signal }),
  });
}

export function apiKey<Name extends OperationName>(name: Name, asked: AskedOf<Name>) {
  const { tenantId = '' } = (asked as { path?: { tenantId?: string } }).path ?? {};
  const changes = audited.has(name) ? 'looked-at' : 'live';
  return ['tenant', tenantId, changes, name, asked] as const;
}

/**
 * A change: `const release = useChange('releaseReward'); release.mutate({ path, body })`. All that
 * is shown is asked for again when it is done.
 */
export function useChange<Name extends OperationName>(
  name: Name,
  options: { onDone?: (answer: AnswerOf<Name>) => void } = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: AskedOf<Name>) => api.call(name, asked),
    onSuccess: async (answer) => {
      options.onDone?.(answer);
      await client.invalidateQueries({ queryKey: ['tenant'] });
    },
  });
}
