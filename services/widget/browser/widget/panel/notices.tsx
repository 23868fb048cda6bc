import type { PanelHost } from '../panel-contract.ts';
import { Icon, type IconName } from './icons.tsx';

type NoticeProps = {
  icon: IconName;
  title: string;
  text: string;
  /** Asks again, where that can help. */
  retry?: { label: string; now: () => void };
};

/** Instead of what cannot be shown: what is the matter, and what the user can do. */
export function Notice({ icon, title, text, retry }: NoticeProps) {
  return (
    <div class="notice" role="status">
      <span class="notice-icon">
        <Icon name={icon} />
      </span>
      <p class="notice-title">{title}</p>
      <p class="notice-text">{text}</p>
      {retry && (
        <button type="button" class="button" onClick={retry.now}>
          {retry.label}
        </button>
      )}
    </div>
  );
}

/** Above what was last known, while there is nothing newer to be had. */
export function StaleBanner({ host }: { host: PanelHost }) {
  const { text } = host.language;
  return (
    <div class="banner" role="status">
      <Icon name="offline" />
      <span>{text('panel.stale')}</span>
      <button type="button" class="button plain" onClick={() => host.refresh()}>
        {text('error.retry')}
      </button>
    </div>
  );
}

/** The outline of what is to come. A screen reader is told that it is being loaded. */
export function Loading({ text }: { text: string }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">{text}</span>
      <span class="bone wide" />
      <span class="bone box" />
      <span class="bone-row">
        <span class="bone round" />
        <span class="bone round" />
        <span class="bone round" />
        <span class="bone round" />
        <span class="bone round" />
      </span>
      <span class="bone short" />
      <span class="bone-row">
        <span class="bone tall" />
        <span class="bone tall" />
      </span>
    </div>
  );
}
