import type { RouteAnswer } from '../../../client/endpoints.js'
import { requestTo } from '../../../client/routes.js'
import type { NounSpec } from '../../framework/command/command.js'
import { called } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { inContext, keepSession, placeOf, resolveSession } from '../../http/credentials.js'
import { deleteSecret } from '../../io/home.js'
import { CODE_OPTIONS, givenSecrets, withCode } from './code.js'

export const login: NounSpec = {
  summary: 'Signs in and stores the session in the home (0600). The session ends at 03:00 IST.',
  details:
    'If the account has a second factor, a code of the authenticator app is also needed. A terminal asks for it. ' +
    'In a script, pass the password and then the code on stdin, one on a line, with --password-stdin --totp-stdin.',
  examples: [
    'login',
    'login --username alice --password-stdin < password.txt',
    'login --username alice --password-stdin --totp-stdin < password-and-code.txt',
  ],
  options: [
    { flags: '--username <name>', summary: 'user name' },
    { flags: '--password-stdin', summary: 'read the password from stdin' },
    ...CODE_OPTIONS,
  ],
  async run(context, input) {
    await context.pinId()
    await refuseBeforeSetup(context)
    const { prompts } = context
    const username = await prompts.text(input.text('username'), 'Username', '--username NAME')
    const given = await givenSecrets(context, input)
    const password = given.password ?? (await prompts.secret(false, 'Password', { twice: false }))
    const first = await signIn(context, username, password)
    const signedIn =
      first.status === 'totp_required'
        ? await withCode(context, given.code, (code) => complete(context, first.login_token, code))
        : first
    await keep(context, signedIn)
    if (given.code !== undefined && first.status === 'success') {
      context.out.note('The account has no second factor: the code was not checked.')
    }
    if (signedIn.broker !== undefined) context.out.note(`The broker ${signedIn.broker} is connected again.`)
    context.out.note(
      `Signed in at ${placeOf(context.target)}. Next: ${inContext(context.target, 'svc whoami')}`,
    )
    return EXIT.done
  },
}

/** Stores the session in the home and shows it. */
async function keep(context: Context, signedIn: RouteAnswer<'POST /auth/login/totp'>): Promise<void> {
  const { username, expires_at } = signedIn
  keepSession(context.target, signedIn)
  await context.out.record({
    record: { username, expires_at },
    fields: [{ key: 'username' }, { key: 'expires_at', title: 'UNTIL', kind: 'time' }],
    id: 'username',
  })
}

/** Fails before any prompt when no user exists yet. */
async function refuseBeforeSetup(context: Context): Promise<void> {
  const route = 'GET /auth/check-setup'
  const { body } = await context.client().send({ route, ...requestTo(route, {}), changes: false })
  if (body.needs_setup) {
    throw new CliError(EXIT.refused, 'There is no user yet.', {
      code: 'refused',
      hint: 'Create the first one: svc setup',
    })
  }
}

async function signIn(context: Context, username: string, password: string) {
  const route = 'POST /auth/login'
  const body = { username, password }
  try {
    return (await context.client().send({ route, ...requestTo(route, { body }), changes: false })).body
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.denied) throw thrown
    const hint = 'Check the user name and the password; forgotten: svc password reset --help'
    throw new CliError(thrown.exit, thrown.message, {
      hint,
      code: thrown.code,
      response: thrown.response,
      ...(thrown.requestId !== undefined && { requestId: thrown.requestId }),
    })
  }
}

/** Completes a sign-in with a code. */
async function complete(context: Context, login_token: string, totp_code: string) {
  const route = 'POST /auth/login/totp'
  const body = { login_token, totp_code }
  const answer = await context.client().send({ route, ...requestTo(route, { body }), changes: false })
  return answer.body
}

export const logout: NounSpec = {
  summary: 'Ends the stored session in the daemon and deletes it from the home.',
  examples: ['logout'],
  async run(context) {
    if (!context.hasSession) {
      context.out.note('Not signed in: nothing to do.')
      return EXIT.done
    }
    const credential = resolveSession(context.io, context.target)
    const route = 'POST /auth/logout'
    const call = {
      route,
      ...requestTo(route, {}),
      token: credential.value,
      credential,
      changes: false,
    } as const
    try {
      const answer = await context.client().ask(call)
      if (answer.status >= 400 && answer.status !== 401) {
        await context.out.warn(`the daemon answered ${answer.status}; the session may still be open there`)
      }
    } finally {
      deleteSecret(context.target.folder, 'session.json')
    }
    context.out.note('Signed out.')
    return EXIT.done
  },
}

export const whoami: NounSpec = {
  summary: 'Shows the signed-in user, the credential and its scopes.',
  examples: ['whoami', 'whoami --json'],
  run: called({
    calls: 'GET /auth/whoami',
    record: ({ data }) => ({
      record: data,
      id: 'username',
      fields: [
        { key: 'username' },
        { key: 'kind', title: 'CREDENTIAL' },
        { key: 'scopes' },
        { key: 'expires_at', title: 'UNTIL', kind: 'time' },
        { key: 'order_mode', title: 'ORDER MODE', kind: 'status' },
        { key: 'analyze_mode', title: 'ANALYZE' },
        { key: 'broker' },
      ],
    }),
    note: ({ data }) =>
      data.kind === 'token' && data.expires_at === null
        ? 'The token never expires: svc token list'
        : undefined,
  }),
}
