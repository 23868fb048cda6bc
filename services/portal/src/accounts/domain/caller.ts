import {
  hasRight,
  type Role,
  type RoleRight,
  type TenantRole,
} from '@tributary/contracts/admin/rights';

/** Who asks, as far as the request proves it. */
export type Caller = {
  /** `bootstrap` is the token of the configuration, which belongs to nobody. */
  kind: 'nobody' | 'bootstrap' | 'token' | 'account';
  /** As records and the audit list name them: an id, which says nothing about a person. */
  actor: string;
  isOperator: boolean;
  /** By tenant. */
  roles: ReadonlyMap<string, TenantRole>;
  session?: Session;
};

export type Session = {
  sessionId: string;
  accountId: string;
  csrfToken: string;
  expiresAt: Date;
  /** Until when it need not be confirmed. */
  confirmedUntil: Date;
};

export const nobody: Caller = {
  kind: 'nobody',
  actor: 'nobody',
  isOperator: false,
  roles: new Map(),
};
export const bootstrap: Caller = {
  kind: 'bootstrap',
  actor: 'operator',
  isOperator: true,
  roles: new Map(),
};

export function actorOfAccount(accountId: string): string {
  return `account:${accountId}`;
}

export function actorOfToken(tokenId: string): string {
  return `token:${tokenId}`;
}

/** Undefined: for them there is no such tenant. */
export function roleIn(caller: Caller, tenantId: string): Role | undefined {
  return caller.isOperator ? 'operator' : caller.roles.get(tenantId);
}

export function may(caller: Caller, right: RoleRight, tenantId: string): boolean {
  const role = roleIn(caller, tenantId);
  return role !== undefined && hasRight(role, right);
}

/** Whether there is a tenant, or more, in which they may. */
export function maySomewhere(caller: Caller, right: RoleRight): boolean {
  return caller.isOperator || [...caller.roles.values()].some((role) => hasRight(role, right));
}
