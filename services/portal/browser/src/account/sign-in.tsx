import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api } from '../api/browser-client.ts';
import { keepSession } from '../api/session.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { ErrorText } from '../parts/error-text.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { OtherWays, RefusedSignOn, SignInByLink } from './other-ways.tsx';
import { ownPage } from './own-page.ts';
import { accountTexts } from './texts.ts';

export function SignIn() {
  const t = useTexts(accountTexts);
  return (
    <EntryFrame title={t.signIn}>
      <SessionEnded />
      <SignInByLink />
      <RefusedSignOn />
      <SignInForm />
      <OtherWays />
    </EntryFrame>
  );
}

function SessionEnded() {
  const t = useTexts(accountTexts);
  const { ended }: { ended?: string } = useSearch({ strict: false });
  return ended === 'yes' && <Text role="status">{t.sessionEnded}</Text>;
}

function SignInForm() {
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const [given, setGiven] = useState({ email: '', password: '', code: '' });
  const [hasCode, setHasCode] = useState(false);
  const search: { to?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const signIn = useMutation({
    mutationFn: () => {
      const { email, password, code } = given;
      return api.call('signIn', { body: { email, password, ...(code !== '' && { code }) } });
    },
    onSuccess: (session) => {
      keepSession(session);
      void navigate({ href: ownPage(search.to), replace: true });
    },
  });
  const field = (name: keyof typeof given) => ({
    value: given[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setGiven((before) => ({ ...before, [name]: value })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          {...field('email')}
          label={t.email}
          type="email"
          autoComplete="username"
          required
        />
        <PasswordInput
          {...field('password')}
          label={common.password}
          autoComplete="current-password"
          required
        />
        {hasCode ? (
          <TextInput
            {...field('code')}
            label={common.code}
            description={common.codeHint}
            autoComplete="one-time-code"
            inputMode="numeric"
          />
        ) : (
          <Button variant="subtle" size="compact-sm" onClick={() => setHasCode(true)}>
            {t.showCode}
          </Button>
        )}
        {signIn.error && <ErrorText error={signIn.error} unauthorized={t.wrong} />}
        <Button type="submit" loading={signIn.isPending}>
          {t.signIn}
        </Button>
      </Stack>
    </form>
  );
}
