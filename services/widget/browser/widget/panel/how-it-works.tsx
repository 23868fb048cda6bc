import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import { type ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Language } from '../language.ts';
import { rulesAsText } from '../rule-texts.ts';

type HowItWorksProps = { language: Language; session: WidgetSession };

/** What to do, and what each rule of the campaign gives for it. */
export function HowItWorks({ language, session }: HowItWorksProps) {
  const { text } = language;
  const id = useId();
  const rules = rulesAsText(session, language);
  return (
    <section class="section" aria-labelledby={id}>
      <h3 class="section-title" id={id}>
        {text('how.title')}
      </h3>
      <ol class="steps" role="list">
        <Step number={1} title={text('how.share')}>
          <p class="step-text">{text('how.shareText')}</p>
        </Step>
        <Step number={2} title={text('how.join')}>
          <p class="step-text">{text('how.joinText')}</p>
        </Step>
        {rules.length > 0 && (
          <Step number={3} title={text('how.earn')}>
            <ul class="rules" role="list">
              {rules.map(({ ruleId, text: shareTexts }) => (
                <li key={ruleId}>{shareTexts}</li>
              ))}
            </ul>
          </Step>
        )}
      </ol>
    </section>
  );
}

type StepProps = { number: number; title: string; children: ComponentChildren };

function Step({ number, title, children }: StepProps) {
  return (
    <li class="step">
      {/* The list is numbered for a screen reader already. */}
      <span class="step-number" aria-hidden="true">
        {number}
      </span>
      <div>
        <p class="step-title">{title}</p>
        {children}
      </div>
    </li>
  );
}
