/** Where one was before; never another site, whatever the address says. */
export function ownPage(to: string | undefined): string {
  return to !== undefined && /^\/portal(?:[/?#]|$)/.test(to) ? to : '/portal';
}
