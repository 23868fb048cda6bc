import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { TenantRole } from '@tributary/contracts/admin/rights';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { tell } from '../../parts/tell.ts';
import { Time } from '../../parts/time.tsx';
import { useGrantableRoles } from './grantable-roles.ts';
import { place } from './place.ts';
import type { Member } from './screen.tsx';
import { memberTexts } from './texts.ts';

export function MemberDetail({ member }: { member: Member }) {
  const t = useTexts(memberTexts);
  const { tenantId } = usePlace(place);
  const mayChange = useGrantableRoles(tenantId).includes(member.role);
  return (
    <Stack>
      <Facts
        of={[
          [t.email, <CustomerText text={member.email} />],
          [t.name, <CustomerText text={member.name} />],
          [t.role, t.roles[member.role]],
          [t.since, <Time at={member.since} />],
        ]}
      />
      {mayChange && <ChangeRole member={member} />}
      {mayChange && <Remove member={member} />}
    </Stack>
  );
}

function ChangeRole({ member: { accountId, role } }: { member: Member }) {
  const t = useTexts(memberTexts);
  const { tenantId } = usePlace(place);
  const roles = useGrantableRoles(tenantId);
  const [chosen, setChosen] = useState<TenantRole>(role);
  const change = useChange('changeRole', { onDone: () => tell(t.roleChanged) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ path: { tenantId, accountId }, body: { role: chosen } });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <NativeSelect
          label={t.role}
          value={chosen}
          onChange={({ currentTarget }) => setChosen(currentTarget.value as TenantRole)}
          data={roles.map((value) => ({ value, label: t.roles[value] }))}
        />
        <Button type="submit" disabled={chosen === role} loading={change.isPending}>
          {t.changeRole}
        </Button>
      </Group>
      {change.error && <ErrorText error={change.error} />}
    </form>
  );
}

function Remove({ member: { accountId } }: { member: Member }) {
  const t = useTexts(memberTexts);
  const common = useTexts(commonTexts);
  const { tenantId, setSearch } = usePlace(place);
  const [isOpen, { open, close }] = useDisclosure();
  const remove = useChange('removePerson', {
    onDone: () => {
      close();
      setSearch({ open: undefined });
      tell(t.removed);
    },
  });
  return (
    <>
      <Button variant="default" onClick={open} style={{ alignSelf: 'start' }}>
        {t.remove}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={t.removeTitle}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <Stack>
          <Text size="sm">{t.removeText}</Text>
          {remove.error && <ErrorText error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <Button
              loading={remove.isPending}
              onClick={() => remove.mutate({ path: { tenantId, accountId } })}
            >
              {t.remove}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
