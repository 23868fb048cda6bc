const key = 'tributary-tenant';

/** The tenant that was open last in this browser. */
export function lastTenant(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function rememberTenant(tenantId: string): void {
  try {
    localStorage.setItem(key, tenantId);
  } catch {
    // A browser that keeps nothing: the first tenant is opened next time.
  }
}
