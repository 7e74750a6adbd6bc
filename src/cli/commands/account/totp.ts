import type { RouteAnswer } from '../../../client/endpoints.js'
import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { CODE_OPTIONS, givenSecrets, withCode } from './code.js'

const FLAGS = [
  { key: 'totp_enabled', title: 'ON' },
  { key: 'totp_required_for_login', title: 'SIGN-IN' },
  { key: 'totp_required_for_mcp', title: 'MCP' },
  { key: 'totp_required_for_password_reset', title: 'PASSWORD RESET' },
] as const

const status = declared({
  name: 'status',
  summary: 'Shows whether the second factor is on, and what needs a code.',
  examples: ['totp status', 'totp status --json'],
  calls: 'GET /auth/2fa/status',
  record: ({ status: _, ...record }) => ({
    record,
    id: 'totp_enabled',
    fields: [...FLAGS, { key: 'last_totp_verified_at', title: 'LAST CODE', kind: 'time' }],
  }),
  note: ({ totp_enabled }) => (totp_enabled ? undefined : 'Set it up: svc totp setup'),
})

const setup: CommandSpec = {
  name: 'setup',
  summary: 'Shows the QR code and the secret for an authenticator app. Changes nothing.',
  details:
    'Anybody who sees the QR code or the secret can make your codes. Needs the session of svc login: a personal ' +
    'access token does not show them. ' +
    asksAgain(),
  examples: ['totp setup', 'totp setup --json --jq .provisioning_uri'],
  async run(context) {
    const { data } = (await context.read('GET /auth/profile-data')).body
    const { totp_secret: secret, provisioning_uri: uri } = data
    if (secret === null || uri === null) {
      throw new CliError(EXIT.denied, 'A personal access token does not show the secret.', {
        code: 'forbidden',
        hint: 'Unset SVC_TOKEN and sign in: svc login',
      })
    }
    await showSecret(context, { totp_secret: secret, provisioning_uri: uri })
    context.out.note('Scan the code with an authenticator app, then: svc totp configure on')
    return EXIT.done
  },
}

/** Shows a secret, and on a terminal its QR code. */
async function showSecret(
  { out }: Context,
  record: Record<'totp_secret' | 'provisioning_uri', string>,
): Promise<void> {
  if (out.isHuman) out.write(await qrCode(record.provisioning_uri))
  await out.record({
    record,
    id: 'totp_secret',
    fields: [
      { key: 'totp_secret', title: 'SECRET' },
      { key: 'provisioning_uri', title: 'ADDRESS' },
    ],
  })
}

/** Returns a text as a QR code of block characters. */
async function qrCode(text: string): Promise<string> {
  const { default: qrcode } = await import('qrcode-terminal')
  return new Promise((resolve) => {
    qrcode.generate(text, { small: true }, (drawing) => resolve(`${drawing}\n`))
  })
}

type Purpose = 'login' | 'mcp' | 'password-reset'
const PURPOSES: readonly Purpose[] = ['login', 'mcp', 'password-reset']
const NAMES = PURPOSES.join(', ')

const configure: CommandSpec = {
  name: 'configure',
  summary: 'Turns the second factor on or off. Every change needs a current code.',
  details: 'Replaces all settings: purposes that --require does not name go off.',
  examples: [
    'totp configure on',
    'totp configure on --require login,password-reset',
    'totp configure off --totp-stdin < code.txt',
  ],
  arguments: [{ syntax: '<state>', summary: 'on or off', choices: ['on', 'off'] }],
  options: [
    {
      flags: '--require <purposes>',
      summary: `what needs a code, separated by commas: ${NAMES} (default: login)`,
    },
    ...CODE_OPTIONS,
  ],
  async run(context, input) {
    const on = input.required(0) === 'on'
    const purposes = purposesOf(on, input.text('require'))
    const flags = {
      totp_enabled: on,
      totp_required_for_login: purposes.has('login'),
      totp_required_for_mcp: purposes.has('mcp'),
      totp_required_for_password_reset: purposes.has('password-reset'),
    }
    const { code } = await givenSecrets(context, input)
    const stored = await withCode(context, code, (totp_code) => configured(context, { totp_code, ...flags }))
    const { status: _, ...record } = stored
    await context.out.record({ record, id: 'totp_enabled', fields: FLAGS })
    context.out.note(
      on
        ? 'Other devices stay signed in. Sign them out: svc session revoke --others'
        : 'No code is needed any more.',
    )
    return EXIT.done
  },
}

/** Returns the purposes that need a code. @throws a usage error for an unknown one, and for any with `off` */
function purposesOf(on: boolean, given: string | undefined): ReadonlySet<string> {
  if (!on && given !== undefined) throw usageError('--require has no effect with off.')
  const purposes = new Set(given?.split(',').map((word) => word.trim()) ?? (on ? ['login'] : []))
  for (const purpose of purposes) {
    if (!PURPOSES.some((known) => known === purpose)) {
      throw usageError(`--require does not know "${purpose}".`, `Pass any of: ${NAMES}.`)
    }
  }
  return purposes
}

async function configured(
  context: Context,
  body: { totp_code: string } & Omit<RouteAnswer<'POST /auth/2fa/configure'>, 'status'>,
): Promise<RouteAnswer<'POST /auth/2fa/configure'>> {
  const followUp = 'Check the settings: svc totp status'
  return (await context.change('POST /auth/2fa/configure', { body }, { followUp })).body
}

const rotate: CommandSpec = {
  name: 'rotate',
  summary: 'Replaces the secret of the second factor, for example after somebody else has seen it.',
  details:
    'Asks for the password, and for a current code while the second factor is on. Then it shows the QR code of the new ' +
    'secret and asks for a code of it; until that code is right, the former secret counts. Ends all other sessions. Needs a ' +
    'terminal and the session of svc login. Without the former secret: svc totp recover.',
  examples: ['totp rotate'],
  async run(context) {
    if (!context.settings.interactive) {
      throw usageError(
        'svc totp rotate needs a terminal: it shows a QR code and asks for a code of it.',
        'A program uses the API for it.',
      )
    }
    const { totp_enabled: needsCode } = (await context.read('GET /auth/2fa/status')).body
    const password = await context.prompts.secret(false, 'Password', { twice: false })
    const { totp_secret, provisioning_uri } = needsCode
      ? await withCode(context, undefined, (totp_code) => drawn(context, { password, totp_code }))
      : await drawn(context, { password })
    await showSecret(context, { totp_secret, provisioning_uri })
    context.io.stderr.write('Scan the code with the authenticator app, then enter a code of the new entry.\n')
    const answer = await withCode(context, undefined, async (totp_code) => {
      const followUp = 'Check which code works: svc login'
      return (await context.change('POST /auth/2fa/rotate/confirm', { body: { totp_code } }, { followUp }))
        .body
    })
    context.out.note(`${answer.message} Delete the former entry of the app.`)
    return EXIT.done
  },
}

async function drawn(
  context: Context,
  body: { password: string; totp_code?: string },
): Promise<RouteAnswer<'POST /auth/2fa/rotate'>> {
  const followUp = 'The former secret still counts. Begin again: svc totp rotate'
  return (await context.change('POST /auth/2fa/rotate', { body }, { followUp })).body
}

const recover: CommandSpec = {
  name: 'recover',
  isOfHome: 'named',
  summary:
    'Replaces the secret of the second factor on the machine itself, for a lost phone. The daemon must be stopped.',
  details:
    'Needs no code: who may write to the home owns it. Shows the QR code of the new secret, ends all sessions and leaves the ' +
    'settings as they are, so the next sign-in takes a code of the new secret. It also helps after the clock of the machine ' +
    'ran ahead, when codes count as used. If the code was not scanned, run the command again.',
  examples: ['totp recover', 'totp recover --yes'],
  async run(context) {
    const { home } = context.settings
    await context.prompts.confirm(`Replace the secret of the second factor of ${home} and end all sessions`)
    const { recoverSecondFactor } = await import('../../../daemon/process/second-factor-recovery.js')
    const { secret, uri } = await recoverSecondFactor(home, context.io.env)
    await showSecret(context, { totp_secret: secret, provisioning_uri: uri })
    context.out.note('Scan the code with an authenticator app, then: svc up --detach, and svc login')
    return EXIT.done
  },
}

export const totp: NounSpec = {
  examples: ['totp status', 'totp setup', 'totp configure on'],
  verbs: [status, setup, configure, rotate, recover],
}
