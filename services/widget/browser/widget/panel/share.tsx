import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import { useId, useState } from 'preact/hooks';
import type { Language } from '../language.ts';
import { Icon } from './icons.tsx';
import { fitsCode, QrCode } from './qr-code.tsx';
import { shareLinks, type ShareText } from './share-links.ts';

type ShareProps = {
  language: Language;
  link: string;
  discount: WidgetSession['newUserDiscount'];
};

/** The ways to pass the link on; the device's own, where it has one, and a code to be scanned. */
export function Share({ language, link, discount }: ShareProps) {
  const { text } = language;
  const [codeShown, showCode] = useState(false);
  const id = useId();
  const shareTexts = shareText(language, discount);
  return (
    <section class="share" aria-labelledby={`${id}-title`}>
      <h3 class="unseen" id={`${id}-title`}>
        {text('share.title')}
      </h3>
      <ul class="share-ways" role="list">
        {shareLinks(link, shareTexts).map(({ network, href }) => (
          <li key={network}>
            <a class="tile" href={href} {...(network !== 'mail' && newTab)}>
              <span class="tile-icon">
                <Icon name={network} />
              </span>
              {text(`share.${network}`)}
              {network !== 'mail' && <span class="unseen"> ({text('share.newTab')})</span>}
            </a>
          </li>
        ))}
        {'share' in navigator && (
          <li>
            <button type="button" class="tile" onClick={() => void shareByDevice(link, shareTexts)}>
              <span class="tile-icon">
                <Icon name="more" />
              </span>
              {text('share.more')}
            </button>
          </li>
        )}
        {fitsCode(link) && (
          <li>
            <button
              type="button"
              class="tile"
              aria-expanded={codeShown}
              aria-controls={`${id}-code`}
              onClick={() => showCode(!codeShown)}
            >
              <span class="tile-icon">
                <Icon name="qr" />
              </span>
              {text('qr.button')}
            </button>
          </li>
        )}
      </ul>
      <div id={`${id}-code`} hidden={!codeShown}>
        {codeShown && fitsCode(link) && <QrCode language={language} link={link} />}
      </div>
    </section>
  );
}

/** The network learns neither the page that the link was on nor gets a hold of its window. */
const newTab = { target: '_blank', rel: 'noopener noreferrer' } as const;

function shareText(language: Language, discount: ShareProps['discount']): ShareText {
  return {
    subject: language.text('share.subject'),
    message: discount
      ? language.text('share.messageWithDiscount', {
          percent: language.percent(discount.percentage),
        })
      : language.text('share.message'),
  };
}

async function shareByDevice(link: string, shareTexts: ShareText): Promise<void> {
  try {
    await navigator.share({ title: shareTexts.subject, text: shareTexts.message, url: link });
  } catch {
    // Put away without a choice, or not allowed to this page; the other ways are beside it.
  }
}
