import { render } from 'preact';
import type { PanelHost } from '../panel-contract.ts';
import { openDialog } from './open-dialog.ts';
import { PanelContent, panelTitleId } from './panel-content.tsx';
import { adoptPanelStyles } from './styles/adopt.ts';

/**
 * The panel, loaded when it is first opened (panel-contract.ts, `PanelModule`). It keeps no state
 * of the session: each change that the entry tells of renders it anew, and what is the same stays
 * in place, so that focus, scroll position and what was unfolded survive an answer that comes in.
 */
export { panelProtocol } from '../panel-contract.ts';

export function mountPanel(host: PanelHost): { unmount(): void } {
  const removeStyles = adoptPanelStyles(host.root);
  const dialog = document.createElement('dialog');
  dialog.className = 'panel';
  dialog.lang = host.language.code;
  dialog.dir = host.language.direction;
  dialog.setAttribute('aria-labelledby', panelTitleId);
  const draw = () => {
    const state = host.state();
    dialog.dataset['side'] = ('session' in state && state.session?.theme.launcherSide) || 'end';
    const hadFocus = dialog.matches(':focus-within');
    render(<PanelContent host={host} state={state} />, dialog);
    // What was pressed may be gone, "Try again" for one: the keyboard stays in the panel.
    if (hadFocus && !dialog.matches(':focus-within')) dialog.focus({ preventScroll: true });
  };
  draw();
  host.root.append(dialog);
  const unsubscribe = host.subscribe(draw);
  const closeDialog = openDialog(dialog, () => host.close());

  let mounted = true;
  return {
    unmount() {
      if (!mounted) return;
      mounted = false;
      unsubscribe();
      closeDialog();
      render(null, dialog);
      dialog.remove();
      removeStyles();
    },
  };
}
