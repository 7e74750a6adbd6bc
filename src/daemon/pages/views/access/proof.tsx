/** @jsxImportSource hono/jsx */
import { HOME } from '../../addresses.js'
import { CsrfField, Field } from '../../components/forms.js'
import { addressWith } from '../../components/table.js'
import { PROOF } from '../../forms.js'
import { ownPath } from '../../negotiate.js'
import type { View } from '../../page.js'

/** Takes the password again before a dangerous act, and returns to its page. */
export const proofView: View<'GET /auth/reauthenticate'> = ({ code_needed }, { csrf, path, query }) => {
  const next = ownPath(query.next) ?? HOME
  const body = (
    <section class="narrow">
      <h1>Your password, please</h1>
      <p class="lead">Dangerous acts need a recent proof of who you are.</p>
      <form method="post" action={PROOF}>
        <CsrfField token={csrf} />
        <input type="hidden" name="next" value={next} />
        <input type="hidden" name="back" value={addressWith(path, query)} />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          autofocus
        />
        {code_needed && (
          <Field
            name="totp_code"
            label="Code"
            inputmode="numeric"
            autocomplete="one-time-code"
            pattern="[0-9 ]{6,8}"
            required
          />
        )}
        <button type="submit" class="main">
          Continue
        </button>
      </form>
      <p>
        <a href={next}>Do not continue</a>
      </p>
    </section>
  )
  return { title: 'Your password', body }
}
