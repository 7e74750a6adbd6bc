import type { RouteAnswer } from '../../../client/endpoints.js'
import { requestTo } from '../../../client/routes.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { deleteSecret } from '../../io/home.js'
import { CODE_OPTIONS, givenSecrets, withCode } from './code.js'

const change: CommandSpec = {
  name: 'change',
  summary: 'Changes your password and ends all your sessions, also those of other devices.',
  details:
    'A terminal asks for the current password, and twice for the new one. In a script, pass both on stdin, each on ' +
    'its own line. Tokens and the API key stay valid.',
  examples: ['password change', 'password change --password-stdin < passwords.txt'],
  options: [
    { flags: '--password-stdin', summary: 'read the current and the new password from two lines of stdin' },
  ],
  async run(context, input) {
    const { current, next } = await passwords(context, input.flag('passwordStdin'))
    const body = { old_password: current, new_password: next, confirm_password: next }
    const followUp = 'Check which password works: svc login'
    const answer = await context.change('POST /auth/change-password', { body }, { followUp })
    deleteSecret(context.target.folder, 'session.json')
    await context.out.acted(
      answer.body,
      'The password is changed, and all sessions have ended. Next: svc login',
    )
    return EXIT.done
  },
}

async function passwords(context: Context, fromStdin: boolean): Promise<{ current: string; next: string }> {
  const { prompts } = context
  if (!fromStdin) {
    const current = await prompts.secret(false, 'Current password', { twice: false })
    return { current, next: await prompts.secret(false, 'New password', { twice: true }) }
  }
  const lines = await prompts.secretLines('The passwords')
  const [current = '', next = ''] = lines
  if (lines.length !== 2) {
    throw usageError('Stdin must have two lines: the current password, then the new one.')
  }
  return { current, next }
}

const reset: CommandSpec = {
  name: 'reset',
  summary:
    'Sets a new password with a code of the authenticator app, or mails a link with which a browser does.',
  details:
    'Needs no session, and ends all of them, and the access of assistants. Tokens, linked chats and the API key stay valid: the ' +
    'mail about the new password names them. In a script, pass the new password on stdin with --password-stdin; with ' +
    '--totp-stdin too, the code follows on the next line. A link works once and for an hour, in any browser. The answer to ' +
    '--link is the same for every address.',
  examples: [
    'password reset --email asha@example.org',
    'password reset --email asha@example.org --link',
    'password reset --email asha@example.org --password-stdin --totp-stdin < secrets.txt',
  ],
  options: [
    { flags: '--email <address>', summary: 'e-mail address of the account' },
    { flags: '--link', summary: 'mail a link instead of asking for a code' },
    { flags: '--password-stdin', summary: 'read the new password from stdin' },
    ...CODE_OPTIONS,
  ],
  async run(context, input) {
    const email = await context.prompts.text(input.text('email'), 'E-mail', '--email ADDRESS')
    if (input.flag('link')) {
      const answer = await step(context, { step: 'select_email', email })
      const text = `If an account has this address, a link is on its way to it. It works once and for an hour.`
      await context.out.acted(answer, text)
      return EXIT.done
    }
    const { code, password: given } = await givenSecrets(context, input)
    const { token } = await withCode(context, code, (totp_code) =>
      step(context, { step: 'totp', email, totp_code }),
    )
    if (token === undefined) throw new CliError(EXIT.failed, 'The answer of the daemon contains no token.')
    const password = given ?? (await context.prompts.secret(false, 'New password', { twice: true }))
    const answer = await step(context, { step: 'password', email, token, password })
    deleteSecret(context.target.folder, 'session.json')
    await context.out.acted(
      answer,
      'The password is reset; all sessions and the access of assistants have ended. Next: svc login, then look at what still opens ' +
        'the account: svc token list, svc message status',
    )
    return EXIT.done
  },
}

type Step = Record<'step' | 'email', string> & Partial<Record<'totp_code' | 'token' | 'password', string>>

/** Sends one step of a reset. No step needs a credential. */
async function step(context: Context, body: Step): Promise<RouteAnswer<'POST /auth/reset-password'>> {
  const route = 'POST /auth/reset-password'
  const changes = body.step === 'password'
  const followUp = 'Check which password works: svc login'
  const call = { route, ...requestTo(route, { body }), changes, ...(changes && { followUp }) } as const
  return (await context.client().send(call)).body
}

export const password: NounSpec = {
  summary: 'Your password: change it, or reset a forgotten one.',
  examples: ['password change', 'password reset --email asha@example.org'],
  verbs: [change, reset],
}
