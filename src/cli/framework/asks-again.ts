/**
 * Returns what the help says of a command that needs a recent proof of who the user is. `what` names the part that
 * needs it.
 */
export function asksAgain(what = 'This'): string {
  return (
    `${what} needs a sign-in of the last 15 minutes (REAUTH_MINUTES). Later, a terminal asks for the password again; ` +
    'a script signs in shortly before: svc login --username NAME --password-stdin.'
  )
}
