import text from './launcher.css?inline';

let sheet: CSSStyleSheet | undefined;

/** One for all shadow roots. By the CSSOM, which a strict CSP allows (it looks at markup). */
export function baseStyles(): CSSStyleSheet {
  sheet ??= styleSheet(text);
  return sheet;
}

export function styleSheet(rules: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(rules);
  return made;
}
