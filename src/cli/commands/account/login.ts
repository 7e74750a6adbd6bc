import { requestTo } from '../../../client/routes.js'
import type { CommandSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { deleteSecret, storeSecret } from '../../io/home.js'

export const login: CommandSpec = {
  name: 'login',
  summary: 'Signs in and stores the session in the home (0600). The session ends at 03:00 IST.',
  examples: ['login', 'login --username alice --password-stdin < password.txt', 'login --totp 123456'],
  options: [
    { flags: '--username <name>', summary: 'user name' },
    { flags: '--password-stdin', summary: 'read the password from stdin' },
    {
      flags: '--totp <code>',
      summary:
        'code of the authenticator app; not checked for an account without a second factor. Other users can see it in ps, so prefer to type it when asked',
    },
  ],
  async run(context, input) {
    await refuseBeforeSetup(context)
    const { prompts } = context
    const username = await prompts.text(input.text('username'), 'Username', '--username NAME')
    const password = await prompts.secret(input.flag('passwordStdin'), 'Password', { twice: false })
    const given = input.text('totp')
    let body = await signIn(context, username, password, given)
    const unneeded = given !== undefined && body.status !== 'totp_required'
    if (body.status === 'totp_required') {
      const code = await prompts.text(undefined, 'Authenticator code', '--totp CODE')
      body = await signIn(context, username, password, code)
    }
    if (body.status !== 'success')
      throw new CliError(EXIT.failed, 'The answer of the daemon contains no session.', { response: body })
    storeSecret(context.settings.home, 'session.json', {
      value: body.token,
      username,
      url: context.target.url,
      expiresAt: body.expires_at,
    })
    await context.out.record({
      record: { username, expires_at: body.expires_at },
      fields: [{ key: 'username' }, { key: 'expires_at', title: 'UNTIL', kind: 'time' }],
      id: 'username',
    })
    if (unneeded) context.out.note('The account has no second factor: the code was not checked.')
    context.out.note(`Signed in at ${context.target.url}. Next: svc whoami`)
    return EXIT.done
  },
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

async function signIn(context: Context, username: string, password: string, code: string | undefined) {
  const route = 'POST /auth/login'
  const body = { username, password, ...(code === undefined ? {} : { totp_code: code }) }
  const answer = await context.client().send({ route, ...requestTo(route, { body }), changes: false })
  return answer.body
}

export const logout: CommandSpec = {
  name: 'logout',
  summary: 'Ends the stored session in the daemon and deletes it from the home.',
  examples: ['logout'],
  async run(context) {
    if (!context.hasSession) {
      context.out.note('Not signed in: nothing to do.')
      return EXIT.done
    }
    const token = context.sessionToken
    const route = 'POST /auth/logout'
    try {
      const answer = await context.client().ask({ route, ...requestTo(route, {}), token, changes: false })
      if (answer.status >= 400 && answer.status !== 401) {
        await context.out.warn(`the daemon answered ${answer.status}; the session may still be open there`)
      }
    } finally {
      deleteSecret(context.settings.home, 'session.json')
    }
    context.out.note('Signed out.')
    return EXIT.done
  },
}

export const whoami: CommandSpec = {
  name: 'whoami',
  summary: 'Shows the signed-in user, the credential and its scopes.',
  examples: ['whoami', 'whoami --json'],
  async run(context) {
    const { body } = await context.read('GET /auth/whoami')
    await context.out.record({
      record: body.data,
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
    })
    return EXIT.done
  },
}
