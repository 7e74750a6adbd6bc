/** @jsxImportSource hono/jsx */
import { HOME } from '../../addresses.js'
import { Field } from '../../components/forms.js'
import { addressWith } from '../../components/table.js'
import { ownPath } from '../../negotiate.js'
import type { Elsewhere, PageContent, PageRequest, View } from '../../page.js'

/** Returns the page that a visitor wanted before the sign-in. */
const nextPath = ({ query }: PageRequest): string => ownPath(query.next) ?? HOME

/** Keeps the wanted page through the sign-in, also through a failed attempt. */
function WhereTo({ request }: { request: PageRequest }) {
  return (
    <>
      <input type="hidden" name="next" value={nextPath(request)} />
      <input type="hidden" name="back" value={addressWith(request.path, request.query)} />
    </>
  )
}

/** The sign-in with user name and password. */
export const signInView: View<'GET /login'> = ({ needs_setup, authenticated }, request) => {
  if (needs_setup) return { to: '/setup' }
  if (authenticated) return { to: nextPath(request) }
  const body = (
    <section class="narrow">
      <h1>Sign in</h1>
      <p class="lead">to svc, the order router</p>
      <form method="post" action="/auth/login">
        <WhereTo request={request} />
        <Field name="username" label="User name" autocomplete="username" required autofocus maxlength={80} />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
        <button type="submit" class="main">
          Sign in
        </button>
      </form>
      <p>
        Forgotten? <code>svc password reset</code>
      </p>
    </section>
  )
  return { title: 'Sign in', body }
}

/** The second step of a sign-in: the code of the authenticator app. */
export const codeView: View<'GET /auth/login/totp'> = (_answer, request) => {
  const body = (
    <section class="narrow">
      <h1>Enter the code</h1>
      <p class="lead">The six digits that your authenticator app shows now.</p>
      <form method="post" action="/auth/login/totp">
        <WhereTo request={request} />
        <Field
          name="totp_code"
          label="Code"
          inputmode="numeric"
          autocomplete="one-time-code"
          pattern="[0-9 ]{6,8}"
          required
          autofocus
        />
        <button type="submit" class="main">
          Sign in
        </button>
      </form>
      <p>
        <a href="/login">Begin again</a>
      </p>
    </section>
  )
  return { title: 'Enter the code', body }
}

/** The first-run set-up, which creates the one account. */
export const setupView: View<'GET /setup'> = ({
  needs_setup,
  rules,
  token_needed,
}): PageContent | Elsewhere => {
  if (!needs_setup) return { to: '/login' }
  const body = (
    <section class="narrow">
      <h1>Set svc up</h1>
      <p class="lead">Create the one account. You see its API key on the next page, once.</p>
      <form method="post" action="/setup">
        {token_needed && (
          <Field name="setup_token" label="Set-up token, from the file setup-token in the home" required />
        )}
        <Field name="username" label="User name" autocomplete="username" required maxlength={80} />
        <Field name="email" label="E-mail" type="email" autocomplete="email" required maxlength={120} />
        <Field name="password" label="Password" type="password" autocomplete="new-password" required />
        <Field
          name="confirm_password"
          label="Password again"
          type="password"
          autocomplete="new-password"
          required
        />
        <ul>
          {rules.map((rule) => (
            <li>{rule}</li>
          ))}
        </ul>
        <button type="submit" class="main">
          Create the account
        </button>
      </form>
    </section>
  )
  return { title: 'Set up', body }
}

/** The page after the set-up. It shows the API key for the only time. */
export function setUpContent(username: string, apikey: string): PageContent {
  const body = (
    <section class="narrow">
      <h1>The account exists</h1>
      <p>
        This is the API key of <b>{username}</b>. Keep it now: it is shown only here.
      </p>
      <p class="secret">{apikey}</p>
      <p>
        <a class="button main" href="/login">
          Sign in
        </a>
      </p>
    </section>
  )
  return { title: 'The account exists', body }
}
