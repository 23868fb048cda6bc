import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api } from '../api/browser-client.ts';
import { keepSession } from '../api/session.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { ErrorText } from '../parts/error-text.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { accountTexts } from './texts.ts';

/** The secret of the link stands behind its #, which no server ever sees. */
export function Invitation() {
  const t = useTexts(accountTexts);
  const [invitation] = useState(() => location.hash.slice(1));
  return (
    <EntryFrame title={t.invitation}>
      {invitation === '' ? <Text>{t.noInvitation}</Text> : <AcceptForm invitation={invitation} />}
    </EntryFrame>
  );
}

function AcceptForm({ invitation }: { invitation: string }) {
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const [given, setGiven] = useState({
    email: new URLSearchParams(location.search).get('email') ?? '',
    name: '',
    password: '',
  });
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: async () => {
      const { email, name, password } = given;
      await api.call('acceptInvitation', { body: { invitation, name, password } });
      return api.call('signIn', { body: { email, password } });
    },
    onSuccess: (session) => {
      keepSession(session);
      void navigate({ to: '/portal', replace: true });
    },
  });
  const field = (name: keyof typeof given) => ({
    value: given[name],
    required: true,
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setGiven((before) => ({ ...before, [name]: value })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.invitationHint}</Text>
        <TextInput {...field('email')} label={t.email} type="email" autoComplete="username" />
        <TextInput {...field('name')} label={t.name} autoComplete="name" />
        <PasswordInput
          {...field('password')}
          label={common.password}
          autoComplete="new-password"
          minLength={12}
        />
        {accept.error && <ErrorText error={accept.error} unauthorized={t.wrong} />}
        <Button type="submit" loading={accept.isPending}>
          {t.accept}
        </Button>
      </Stack>
    </form>
  );
}
