import { Button, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { TenantRole } from '@tributary/contracts/admin/rights';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { useGrantableRoles } from './grantable-roles.ts';
import { place } from './place.ts';
import { memberTexts } from './texts.ts';

export function Invite() {
  const t = useTexts(memberTexts);
  const common = useTexts(commonTexts);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button onClick={open}>{t.invite}</Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={t.invite}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <InviteForm />
      </Modal>
    </>
  );
}

function InviteForm() {
  const t = useTexts(memberTexts);
  const { tenantId } = usePlace(place);
  const roles = useGrantableRoles(tenantId);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<TenantRole>('analyst');
  const invite = useChange('invitePerson');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate({ path: { tenantId }, body: { email, role } });
  };
  if (invite.data?.mailed === true) return <Text>{t.mailed(email)}</Text>;
  if (invite.data?.link) return <Link link={invite.data.link} />;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.inviteText}</Text>
        <TextInput
          label={t.email}
          type="email"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          required
          data-autofocus
        />
        <NativeSelect
          label={t.role}
          value={role}
          onChange={({ currentTarget }) => setRole(currentTarget.value as TenantRole)}
          data={roles.map((value) => ({ value, label: t.roles[value] }))}
        />
        {invite.error && <ErrorText error={invite.error} />}
        <Button type="submit" loading={invite.isPending}>
          {t.makeLink}
        </Button>
      </Stack>
    </form>
  );
}

function Link({ link }: { link: string }) {
  const t = useTexts(memberTexts);
  return (
    <Stack align="flex-start">
      <Text size="sm">{t.linkTitle}</Text>
      <PlainText text={link} label={t.linkTitle} w="100%" />
      <CopyButton text={link} />
    </Stack>
  );
}
