import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { PanelHost } from '../panel-contract.ts';
import { copyLink } from './copy-link.ts';
import { Icon } from './icons.tsx';

/** For how long the button says that it has copied. */
const copiedShownMs = 2500;

/** The user's link, to be copied. */
export function Invite({ host, link }: { host: PanelHost; link: string }) {
  const { text } = host.language;
  const [outcome, setOutcome] = useState<'none' | 'copied' | 'selected'>('none');
  const field = useRef<HTMLInputElement>(null);
  const id = useId();

  useEffect(() => {
    if (outcome !== 'copied') return undefined;
    const timer = setTimeout(() => setOutcome('none'), copiedShownMs);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    if (!field.current) return;
    const copied = await copyLink(field.current);
    setOutcome(copied ? 'copied' : 'selected');
    if (copied) host.emit('copied', { link });
  };

  return (
    <div class="invite">
      <label class="invite-label" for={id}>
        {text('invite.label')}
      </label>
      <div class="invite-row">
        {/* An address reads from left to right in every language. */}
        <input
          ref={field}
          id={id}
          class="invite-link"
          type="text"
          dir="ltr"
          readOnly
          spellcheck={false}
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class="button copy" onClick={() => void copy()}>
          <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
          {text(outcome === 'copied' ? 'invite.copied' : 'invite.copy')}
        </button>
      </div>
      <p class={outcome === 'selected' ? 'hint' : 'unseen'} role="status">
        {outcome === 'copied' && text('invite.copiedNews')}
        {outcome === 'selected' && text('invite.copyYourself')}
      </p>
    </div>
  );
}
