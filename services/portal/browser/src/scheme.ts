// Runs before anything is drawn, so that nobody who chose dark sees a white flash. What it reads is
// what Mantine keeps. A script of its own, as the policy allows no script inside the document.
let chosen: string | null = null;
try {
  chosen = localStorage.getItem('mantine-color-scheme-value');
} catch {
  // A browser that keeps nothing: the system's scheme.
}
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
const scheme = chosen === 'dark' || chosen === 'light' ? chosen : dark ? 'dark' : 'light';
document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
