import controls from './controls.css?inline';
import frame from './frame.css?inline';
import sections from './sections.css?inline';
import states from './states.css?inline';

/**
 * Gives the panel's styles to the shadow root by the CSSOM, which a strict CSP allows; gives the
 * way to take them back.
 */
export function adoptPanelStyles(root: ShadowRoot): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(frame + controls + sections + states);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
