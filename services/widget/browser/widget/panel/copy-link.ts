/**
 * Puts the link into the clipboard. The page may not have the clipboard (no https, or a permissions
 * policy that keeps it from us): then by the selection, as browsers have always done it. False:
 * that failed too, and the link is left selected for the user to copy.
 */
export async function copyLink(field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand('copy');
  }
}
