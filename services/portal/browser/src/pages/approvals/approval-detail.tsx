import { Group, Stack, Text } from '@mantine/core';
import { useMay, useSession } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Actor } from '../../parts/actor/actor.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Json } from '../../parts/json.tsx';
import { Part } from '../../parts/part.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from './place.ts';
import { type Approval, nameOf, tones } from './screen.tsx';
import { approvalTexts } from './texts.ts';

/** What was asked for, as whoever decides has to know it, and the decision. */
export function ApprovalDetail({ of }: { of: Approval }) {
  const t = useTexts(approvalTexts);
  const target = Object.entries(of.target).map(([name, value]) => `${name} ${String(value)}`);
  return (
    <Stack>
      <Facts
        of={[
          [t.action, nameOf(of, t.actions)],
          [t.state, <StateBadge tone={tones[of.state]}>{t.states[of.state]}</StateBadge>],
          [t.target, target.length > 0 ? <CustomerText text={target.join(', ')} /> : undefined],
          [t.requestedBy, <Actor id={of.requestedBy} />],
          [t.requestedAt, <Time at={of.requestedAt} />],
          [t.expiresAt, of.state === 'pending' ? <Time at={of.expiresAt} /> : undefined],
          [t.decidedBy, of.decidedBy === null ? undefined : <Actor id={of.decidedBy} />],
          [t.decidedAt, of.decidedAt === null ? undefined : <Time at={of.decidedAt} />],
          [t.status, of.status ?? undefined],
        ]}
      />
      {of.state === 'pending' && <Decision of={of} />}
      {of.asked !== null && of.asked !== undefined ? (
        <Part title={t.asked}>
          <Json value={of.asked} label={t.asked} />
        </Part>
      ) : (
        <Text size="sm" c="dimmed">
          {t.notShown}
        </Text>
      )}
    </Stack>
  );
}

/** Whoever asked may only take it back; the server says who else may not. */
function Decision({ of }: { of: Approval }) {
  const t = useTexts(approvalTexts);
  const { tenantId } = usePlace(place);
  const { data: session } = useSession();
  const mayDecide = useMay(tenantId, of.tenantId === null ? 'deployment' : 'review');
  const isOwn = session?.accountId !== undefined && of.requestedBy.endsWith(session.accountId);
  if (!mayDecide) return null;
  return (
    <>
      {isOwn && <Text size="sm">{t.own}</Text>}
      <Group>
        {!isOwn && <Approve of={of} />}
        <Refuse of={of} isOwn={isOwn} />
      </Group>
    </>
  );
}

function Approve({ of: { approvalId, tenantId } }: { of: Approval }) {
  const t = useTexts(approvalTexts);
  const shown = {
    ...{ label: t.approve, title: t.approve, text: t.approveText, done: t.approved },
    variant: 'filled' as const,
  };
  return tenantId === null ? (
    <ActionButton name="approve" {...shown} asked={() => ({ path: { approvalId } })} />
  ) : (
    <ActionButton
      name="approveInTenant"
      {...shown}
      asked={() => ({ path: { tenantId, approvalId } })}
    />
  );
}

function Refuse({ of: { approvalId, tenantId }, isOwn }: { of: Approval; isOwn: boolean }) {
  const t = useTexts(approvalTexts);
  const label = isOwn ? t.takeBack : t.refuse;
  const done = isOwn ? t.takenBack : t.refused;
  const shown = { label, title: label, text: t.refuseText, done, danger: true };
  return tenantId === null ? (
    <ActionButton name="decline" {...shown} asked={() => ({ path: { approvalId } })} />
  ) : (
    <ActionButton
      name="declineInTenant"
      {...shown}
      asked={() => ({ path: { tenantId, approvalId } })}
    />
  );
}
