/** Everything below is asked by people who are not signed in yet. */
export const signInPath = '/api/session';

/** Where a browser is sent to sign in at a provider, which sends it back to the other one. */
export const singleSignOnPath = '/api/session/single-sign-on';
export const singleSignOnCallbackPath = '/api/session/single-sign-on/callback';

/** Pages of the portal. */
export const portalPath = '/portal';
export const signInPagePath = '/portal/sign-in';
