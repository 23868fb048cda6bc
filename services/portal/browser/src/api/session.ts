import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { ProblemError } from '@tributary/admin-client/problem-error';
import { hasRight, type Right, needsRole, type Role } from '@tributary/contracts/admin/rights';
import { useQuery } from '@tanstack/react-query';
import { api, setCsrfToken } from './browser-client.ts';
import { queryClient, sessionKey } from './queries.ts';

export type Session = AnswerOf<'showSession'>;

/** Who is signed in; null: nobody. */
export function useSession() {
  return useQuery({
    queryKey: sessionKey,
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.status === 'error' ? 5_000 : 60_000),
    queryFn: async () => {
      try {
        return keepSession(await api.call('showSession', {}));
      } catch (error) {
        if (error instanceof ProblemError && error.problem.status === 401) return null;
        throw error;
      }
    },
  });
}

/** After signing in, and whenever an answer tells of the session. */
export function keepSession(session: Session): Session {
  setCsrfToken(session.csrfToken);
  queryClient.setQueryData(sessionKey, session);
  return session;
}

/** Asks now whether it still holds; whoever it holds for no longer is led away by the shell. */
export async function checkSession(): Promise<boolean> {
  try {
    keepSession(await api.call('showSession', {}));
    return true;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status !== 401) return false;
    queryClient.setQueryData(sessionKey, null);
    return true;
  }
}

/** Ends it here at once, whatever the server says: what was shown is forgotten. */
export async function signOut(): Promise<void> {
  try {
    await api.call('signOut', {});
  } finally {
    queryClient.clear();
    queryClient.setQueryData(sessionKey, null);
  }
}

export function roleIn(session: Session, tenantId: string): Role | undefined {
  if (session.isOperator) return 'operator';
  return session.memberships.find((each) => each.tenantId === tenantId)?.role;
}

/** Whether a page or an action is for whoever is signed in; the server decides, this only hides. */
export function may(session: Session, tenantId: string, right: Right): boolean {
  if (!needsRole(right)) return true;
  const role = roleIn(session, tenantId);
  return role !== undefined && hasRight(role, right);
}

/** The same as a hook, for buttons. */
export function useMay(tenantId: string, right: Right): boolean {
  const { data } = useSession();
  return data !== null && data !== undefined && may(data, tenantId, right);
}
