/** Everything below is asked by people who are not signed in yet. */
export const signInPath = '/api/session';
