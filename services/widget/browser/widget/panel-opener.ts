import type { PanelHost, PanelModule } from './panel-contract.ts';

export type PanelOpener = {
  isOpen(): boolean;
  open(): Promise<void>;
  close(): void;
};

type Given = {
  loadPanel(): Promise<PanelModule | undefined>;
  host: PanelHost;
  /** It counts as open, or as closed, from now on. */
  onChange(): void;
  onFailure(): void;
};

/** Open from the moment that somebody asks, though the panel may have to be loaded first. */
export function createPanelOpener({ loadPanel, host, onChange, onFailure }: Given): PanelOpener {
  let wanted = false;
  let mounted: { unmount(): void } | undefined;
  let opening: Promise<void> | undefined;

  const mount = async (): Promise<void> => {
    const panel = await loadPanel();
    if (!wanted) return; // closed again meanwhile
    try {
      mounted = panel?.mountPanel(host);
    } catch {
      // A browser that lacks what it needs; reported like a panel that is not there.
      mounted = undefined;
    }
    if (mounted) return host.emit('open', undefined);
    wanted = false;
    onChange();
    onFailure();
  };

  return {
    isOpen: () => wanted,
    async open() {
      if (!wanted) {
        wanted = true;
        onChange();
      }
      if (mounted) return;
      opening ??= mount().finally(() => (opening = undefined));
      await opening;
    },
    close() {
      if (!wanted) return;
      wanted = false;
      onChange();
      if (!mounted) return;
      const closing = mounted;
      mounted = undefined;
      closing.unmount();
      host.emit('close', undefined);
    },
  };
}
