import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../api/browser-client.ts';
import { apiQuery } from '../api/queries.ts';
import { keepSession, type Session } from '../api/session.ts';
import { useTexts } from '../i18n/texts.ts';
import { ErrorText } from '../parts/error-text.tsx';
import { ownPage } from './own-page.ts';
import { accountTexts } from './texts.ts';

function useSignedIn() {
  const navigate = useNavigate();
  const search: { to?: string } = useSearch({ strict: false });
  return (session: Session) => {
    keepSession(session);
    void navigate({ href: ownPage(search.to), replace: true });
  };
}

/** A link that signs in once; its secret stands behind the #, and leaves the address at once. */
export function SignInByLink() {
  const t = useTexts(accountTexts);
  const onSuccess = useSignedIn();
  const [link] = useState(() => new URLSearchParams(location.hash.slice(1)).get('link'));
  const { mutate, isPending, error } = useMutation({
    mutationFn: (secret: string) => api.call('signInByLink', { body: { link: secret } }),
    onSuccess,
  });
  useEffect(() => {
    if (link === null) return;
    history.replaceState(history.state, '', location.pathname + location.search);
    mutate(link);
  }, [link, mutate]);
  if (link === null) return null;
  if (isPending) return <Text role="status">{t.signingIn} …</Text>;
  return error && <ErrorText error={error} unauthorized={t.linkOver} />;
}

/** The provider's answer led back here: one sentence, whatever the reason. */
export function RefusedSignOn() {
  const t = useTexts(accountTexts);
  const search: { refused?: string } = useSearch({ strict: false });
  if (search.refused !== 'single-sign-on') return null;
  return <Alert color="yellow" variant="outline" role="alert" title={t.refusedSignOn} />;
}

/** A passkey, and the provider of the deployment, where there are such. */
export function OtherWays() {
  const t = useTexts(accountTexts);
  const { data } = useQuery(apiQuery('showWays', {}));
  const singleSignOn = data?.singleSignOn;
  if (data === undefined) return null;
  return (
    <Stack>
      {data.passkeys && <PasskeyButton />}
      {singleSignOn && (
        <Button variant="default" onClick={() => location.assign(singleSignOn.path)}>
          {t.singleSignOn(singleSignOn.name)}
        </Button>
      )}
    </Stack>
  );
}

function PasskeyButton() {
  const t = useTexts(accountTexts);
  const onSuccess = useSignedIn();
  const signIn = useMutation({ mutationFn: signInByPasskey, onSuccess });
  return (
    <>
      {signIn.error && <ErrorText error={signIn.error} />}
      <Button variant="default" loading={signIn.isPending} onClick={() => signIn.mutate()}>
        {t.passkey}
      </Button>
    </>
  );
}

async function signInByPasskey(): Promise<Session> {
  const { options } = await api.call('askForPasskey', {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
  const credential = await navigator.credentials.get({ publicKey });
  const passkey = (credential as PublicKeyCredential).toJSON();
  return api.call('signInByPasskey', { body: { passkey: passkey as never } });
}
