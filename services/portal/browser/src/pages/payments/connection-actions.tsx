import { Group } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Json } from '../../parts/json.tsx';
import { wholeNumber } from '../../parts/whole-number.ts';
import { Findings } from './connections.tsx';
import { place } from './place.ts';
import { paymentTexts } from './texts.ts';

type Connection = AnswerOf<'listConnections'>['connections'][number];

/** What may be done about a connection. */
export function ConnectionActions({ of: { connectionId } }: { of: Connection }) {
  const { tenantId } = usePlace(place);
  const path = { tenantId, connectionId };
  return (
    <Group gap="xs">
      <Check path={path} />
      <Reconcile path={path} />
      <Repair path={path} />
      <Rotate path={path} />
      <Disconnect path={path} />
    </Group>
  );
}

type At = { path: { tenantId: string; connectionId: string } };

function Check({ path }: At) {
  const t = useTexts(paymentTexts);
  return (
    <ActionButton
      name="checkConnection"
      label={t.check}
      title={t.check}
      text={t.checkText}
      done={t.checked}
      result={({ findings }) => <Findings of={findings} />}
      asked={() => ({ path, body: {} })}
    />
  );
}

function Reconcile({ path }: At) {
  const t = useTexts(paymentTexts);
  return (
    <ActionButton
      name="reconcileConnection"
      label={t.reconcile}
      title={t.reconcile}
      text={t.reconcileText}
      fields={[
        { key: 'kind', label: t.kind, value: 'invoices', required: true },
        { key: 'since', label: t.since, value: weekAgo(), required: true },
      ]}
      done={t.reconciled}
      result={(answer) => <Json value={answer} label={t.reconcile} />}
      asked={({ kind, since = '' }) => ({ path, body: { kind: kind as 'invoices', since } })}
    />
  );
}

function Repair({ path }: At) {
  const t = useTexts(paymentTexts);
  return (
    <ActionButton
      name="repairConnection"
      label={t.repair}
      title={t.repair}
      text={t.repairText}
      fields={[{ key: 'apiKey', label: t.apiKey, kind: 'password' }]}
      done={t.repaired}
      asked={({ apiKey }) => ({ path, body: apiKey ? { apiKey } : {} })}
    />
  );
}

function Rotate({ path }: At) {
  const t = useTexts(paymentTexts);
  return (
    <ActionButton
      name="rotateConnection"
      label={t.rotate}
      title={t.rotate}
      text={t.rotateText}
      fields={[{ key: 'overlapHours', label: t.overlapHours, kind: 'number', value: '24' }]}
      done={t.rotated}
      asked={({ overlapHours }) => ({
        path,
        body: overlapHours ? { overlapHours: wholeNumber(overlapHours) as number } : {},
      })}
    />
  );
}

function Disconnect({ path }: At) {
  const t = useTexts(paymentTexts);
  return (
    <ActionButton
      name="disconnectProcessor"
      label={t.disconnect}
      title={t.disconnect}
      text={t.disconnectText}
      fields={[{ key: 'reason', label: t.reason, required: true }]}
      danger
      done={t.disconnected}
      asked={({ reason = '' }) => ({ path, body: { reason } })}
    />
  );
}

function weekAgo(): string {
  return new Date(Date.now() - 7 * 86_400_000).toISOString();
}
