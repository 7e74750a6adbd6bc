/** @jsxImportSource hono/jsx */
import { CsrfField, Field } from '../../components/forms.js'
import { NoticeBox } from '../../components/notice.js'
import { addressWith } from '../../components/table.js'
import type { View } from '../../page.js'

/** The parameters that the answer repeats. Any other one of the address is not part of the question. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
])

/** Asks the owner whether an assistant may act for them. */
export const consentView: View<'GET /oauth/authorize'> = (question, { csrf, path, query }) => {
  const { client, code_needed, consent, deny_url, scopes, writes } = question
  const asked = Object.fromEntries(Object.entries(query).filter(([name]) => PARAMETERS.has(name)))
  const { host, hostname, origin, protocol } = new URL(client.redirect_uri)
  // An address with the scheme of an installed program has no origin.
  const isInstalled = origin === 'null'
  // Policies have no form for IPv6 addresses (CSP 3, 2.3.1): a browser would not send the answer.
  const target = isInstalled || hostname.startsWith('[') ? protocol : origin
  const place = isInstalled ? `the program on your device that opens ${client.redirect_uri}` : host
  const body = (
    <section class="narrow">
      <h1>Give access to {client.client_name}?</h1>
      <p class="lead">
        A program that calls itself <b>{client.client_name}</b> asks for access to your account. Your answer
        goes to <b>{place}</b>.
      </p>
      <p>
        Nobody has checked the name. Continue only if you have just asked this program to connect to svc, and
        it {isInstalled ? 'is installed on this device' : `runs at ${host}`}.
      </p>
      <p>It will be able to:</p>
      <ul>
        {scopes.map(({ meaning, scope }) => (
          <li>
            {meaning} (<code>{scope}</code>)
          </li>
        ))}
      </ul>
      {writes && <WriteWarning queued={question.queue_writes} />}
      <form method="post" action={path}>
        <CsrfField token={csrf} />
        <input type="hidden" name="back" value={addressWith(path, asked)} />
        {Object.entries(asked).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="consent" value={consent} />
        {code_needed && (
          <Field
            name="totp_code"
            label="Code of your authenticator app"
            inputmode="numeric"
            autocomplete="one-time-code"
            pattern="[0-9 ]{6,8}"
            required
            autofocus
          />
        )}
        <button type="submit" class="main" name="decision" value="approve">
          Give access
        </button>{' '}
        <a class="button" href={deny_url} rel="noreferrer">
          Refuse
        </a>
      </form>
      <p>
        End the access at any time: <code>svc admin mcp revoke {client.client_id}</code>
      </p>
    </section>
  )
  return { title: `Access for ${client.client_name}`, body, formTargets: [target] }
}

function WriteWarning({ queued }: { queued: boolean }) {
  return (
    <NoticeBox tone="warning">
      {queued
        ? 'This program can trade. In live mode its orders wait for your approval.'
        : 'This program can trade, with your money and without asking you.'}
    </NoticeBox>
  )
}
