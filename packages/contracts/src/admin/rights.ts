/**
 * Who may do what, in one table: each route declares the right that it needs, and each role has the
 * rights of its row. The router asks both, and serves no route without a right.
 */

/** What people and tokens are within one tenant, the most powerful first. */
export const tenantRoles = ['owner', 'admin', 'developer', 'reviewer', 'analyst'] as const;
export type TenantRole = (typeof tenantRoles)[number];

/** Above all tenants: who runs the deployment. */
export const roles = ['operator', ...tenantRoles] as const;
export type Role = (typeof roles)[number];

const holders = {
  /** What is there to read of a tenant, secrets and raw records aside. */
  read: ['owner', 'admin', 'developer', 'reviewer', 'analyst'],
  /** Rewards that wait for somebody. */
  review: ['owner', 'admin', 'reviewer'],
  /** How a product is connected, and its campaigns. */
  develop: ['owner', 'admin', 'developer'],
  /** People, tokens and secrets, and settings that change what is earned. */
  administer: ['owner', 'admin'],
  /** What cannot be taken back for people. */
  own: ['owner'],
  /** Whatever is of no tenant, or of all. */
  deployment: [],
} satisfies Record<string, readonly TenantRole[]>;

/** Needs no role: `self` is for whoever is signed in, `none` for anybody at all. */
type Roleless = 'self' | 'none';
export type RoleRight = keyof typeof holders;
export type Right = RoleRight | Roleless;

export const rights = [...Object.keys(holders), 'self', 'none'] as readonly Right[];

/** The deployment's operator has every right. */
export function rolesWith(right: RoleRight): readonly Role[] {
  return ['operator', ...holders[right]];
}

export function hasRight(role: Role, right: RoleRight): boolean {
  return rolesWith(right).includes(role);
}

export function needsRole(right: Right): right is RoleRight {
  return Object.hasOwn(holders, right);
}

/** Nobody makes somebody more powerful than they are themselves. */
export function mayGrant(granter: Role, granted: Role): boolean {
  return roles.indexOf(granter) <= roles.indexOf(granted);
}
