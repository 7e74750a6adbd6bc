import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import { masked } from '../../../views/text/masked.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, WORKFLOW, workflowOf } from './find.js'

/** The ways in which a caller of a webhook shows that it knows the secret. */
const AUTH_TYPES = ['payload', 'url', 'signed'] as const satisfies readonly AuthType[]

const FIELDS = [
  { key: 'webhook_enabled', title: 'ENABLED' },
  { key: 'webhook_auth_type', title: 'AUTH TYPE' },
  { key: 'webhook_url', title: 'URL' },
  { key: 'webhook_url_with_symbol', title: 'URL WITH SYMBOL' },
  { key: 'webhook_url_with_secret', title: 'URL WITH SECRET' },
  { key: 'webhook_token', title: 'TOKEN' },
  { key: 'webhook_secret', title: 'SECRET' },
  { key: 'webhook_signing_secret', title: 'SIGNING SECRET' },
] as const satisfies readonly Column[]

/** The columns of a webhook without its token and secret. */
const PUBLIC = [
  { key: 'message' },
  { key: 'webhook_enabled', title: 'ENABLED' },
  { key: 'webhook_auth_type', title: 'AUTH TYPE' },
] as const satisfies readonly Column[]

type AuthType = RouteAnswer<'GET /flow/api/workflows/:id/webhook'>['webhook_auth_type']
type Verb = 'enable' | 'disable' | 'regenerate' | 'regenerate-secret' | 'auth-type'
type Route = `POST /flow/api/workflows/:id/webhook/${Verb}`

async function changed(
  context: Context,
  word: string,
  verb: Verb,
  body?: { auth_type: string },
): Promise<[id: string, answer: RouteAnswer<Route>]> {
  const id = await findId(context, word)
  const route: Route = `POST /flow/api/workflows/:id/webhook/${verb}`
  const rest = { followUp: `See its state: svc flow webhook show ${id}` }
  return [id, (await context.change<Route>(route, { params: { id }, body }, rest)).body]
}

type WebhookFields = { readonly [Key in 'status' | (typeof PUBLIC)[number]['key']]?: unknown }

/** Shows an answer without its secrets, one of which is the address; with `-q` the id of the workflow. */
async function printWebhook(context: Context, id: string, answer: WebhookFields): Promise<void> {
  if (context.settings.format === 'name') return context.out.name(id)
  const keys: readonly string[] = ['status', ...PUBLIC.map(({ key }) => key)]
  const record: WebhookFields = Object.fromEntries(
    Object.entries(answer).filter(([key]) => keys.includes(key)),
  )
  await context.out.record({ record, fields: PUBLIC, id: 'status' })
}

const REVEAL: OptionSpec = { flags: '--reveal', summary: 'show the whole token and secret' }

/** Refuses `-q` where it would print what is masked: a script reads the output as the address or the secret. */
function requireReveal({ settings }: Context, input: Input): void {
  if (settings.quiet && !input.flag('reveal')) {
    throw usageError(
      'Without --reveal token and secret are masked, and -q would print that.',
      'Pass --reveal.',
    )
  }
}

/** An answer about a webhook; not every one has each secret. */
interface WithSecrets {
  status?: unknown
  webhook_token?: string
  webhook_secret?: string
  webhook_signing_secret?: string | null
}

/** Returns a webhook with token and secret masked, in its addresses as well. Of an output they may end up in a log. */
function shownOf<Answer extends WithSecrets>(answer: Answer, input: Input): Answer {
  if (input.flag('reveal')) return answer
  const { webhook_secret: secret, webhook_signing_secret: signing, webhook_token: token } = answer
  const hidden = [token, secret, signing].flatMap((one) => one || [])
  const hide = (value: unknown) =>
    typeof value === 'string' ? hidden.reduce((text, one) => text.replaceAll(one, masked(one)), value) : value
  return Object.assign(
    {},
    answer,
    Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, hide(value)])),
  )
}

const show = declared({
  name: 'show',
  summary: 'Shows the addresses, the token and the secret of a webhook: masked unless --reveal.',
  details: 'The token is part of each address. With -q it needs --reveal.',
  examples: ['flow webhook show 3', 'flow webhook show 3 --reveal', 'flow webhook show 3 --reveal -q'],
  arguments: [WORKFLOW],
  options: [REVEAL],
  calls: 'GET /flow/api/workflows/:id/webhook',
  request(input, context) {
    requireReveal(context, input)
    return workflowOf(input, context)
  },
  record: (answer, { input }) => ({ record: shownOf(answer, input), fields: FIELDS, id: 'webhook_url' }),
  note: (_, { input, request }) =>
    input.flag('reveal') ? undefined : `All of it: svc flow webhook show ${request.params.id} --reveal`,
})

const enable: CommandSpec = {
  name: 'enable',
  summary: 'Enables the webhook. Calls run the workflow only while it is active.',
  examples: ['flow webhook enable 3'],
  arguments: [WORKFLOW],
  async run(context, input) {
    const [id, answer] = await changed(context, input.required(0), 'enable')
    await printWebhook(context, id, answer)
    context.out.note(`Its address: svc flow webhook show ${id} --reveal`)
    return EXIT.done
  },
}

const disable: CommandSpec = {
  name: 'disable',
  summary: 'Disables the webhook: calls are refused. Token and secret stay valid.',
  examples: ['flow webhook disable 3'],
  arguments: [WORKFLOW],
  async run(context, input) {
    const [id, answer] = await changed(context, input.required(0), 'disable')
    await printWebhook(context, id, answer)
    return EXIT.done
  },
}

const rotate: CommandSpec = {
  name: 'rotate',
  summary: 'Creates a new token and secret, or only a new secret. The old ones stop working at once.',
  details: 'The new ones are masked unless --reveal; svc flow webhook show prints them later, too.',
  examples: ['flow webhook rotate 3', 'flow webhook rotate 3 --secret-only --yes'],
  arguments: [WORKFLOW],
  options: [{ flags: '--secret-only', summary: 'keep the token and therefore the address' }, REVEAL],
  async run(context, input) {
    requireReveal(context, input)
    const [word, secretOnly] = [input.required(0), input.flag('secretOnly')]
    const what = secretOnly ? 'secret' : 'token and secret'
    const question = `Replace the ${what} of the webhook of ${word}`
    await context.prompts.confirm(question, () => findId(context, word))
    const [id, answer] = await changed(context, word, secretOnly ? 'regenerate-secret' : 'regenerate')
    await context.out.record({ record: shownOf(answer, input), fields: FIELDS, id: 'webhook_secret' })
    context.out.note('Calls with the old one are refused from now on.')
    if (!input.flag('reveal')) context.out.note(`The new one: svc flow webhook show ${id} --reveal`)
    return EXIT.done
  },
}

const authType: CommandSpec = {
  name: 'auth-type',
  summary:
    'Shows or sets how callers show that they know the secret: in the body, in the address, or by a signature.',
  examples: ['flow webhook auth-type 3', 'flow webhook auth-type 3 signed'],
  arguments: [WORKFLOW, { syntax: '[type]', summary: 'proof of the secret', choices: AUTH_TYPES }],
  async run(context, input) {
    const type = input.argument(1)
    if (type === undefined) {
      const id = await findId(context, input.required(0))
      const { body } = await context.read('GET /flow/api/workflows/:id/webhook', { params: { id } })
      const { webhook_auth_type } = body
      const [, , where] = PUBLIC
      await context.out.record({ record: { webhook_auth_type }, fields: [where], id: 'webhook_auth_type' })
      return EXIT.done
    }
    const [id, answer] = await changed(context, input.required(0), 'auth-type', { auth_type: type })
    await printWebhook(context, id, answer)
    return EXIT.done
  },
}

export const webhook: CommandSpec = {
  name: 'webhook',
  summary: 'The webhook of a workflow: address, secret, enable, disable.',
  examples: [
    'flow webhook show 3',
    'flow webhook enable 3',
    'flow webhook rotate 3 --secret-only',
    'flow webhook auth-type 3 signed',
  ],
  verbs: [show, enable, disable, rotate, authType],
}
