import { isObject } from '../../../client/answers/json.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { requestTo } from '../../../client/routes.js'
import { visible } from '../../../views/table/cells.js'
import type { Input, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { keepSecret } from '../../http/credentials.js'
import { probe } from '../../http/probe.js'

const FIELDS = ['username', 'email', 'password'] as const
type Field = (typeof FIELDS)[number]
type Account = Record<Field, string>
type Rules = RouteAnswer<'GET /auth/check-setup'>['rules']

const LABELS: Readonly<Record<Field, string>> = {
  username: 'Username',
  email: 'E-mail',
  password: 'Password',
}
const OPTIONS: Readonly<Record<Field, string>> = {
  username: '--username NAME',
  email: '--email ADDRESS',
  password: '--password-stdin',
}

export const setup: NounSpec = {
  summary: 'Creates the first user. Prints the API key once and stores it in the home (0600).',
  examples: [
    'setup',
    'setup --username alice --email alice@example.com --password-stdin < password.txt',
    'setup --username alice --email alice@example.com --password-stdin --json < password.txt',
  ],
  details:
    'The password needs 8 characters, an uppercase and a lowercase letter, a number, and a special character such as !@#$%^&*-.\n' +
    'The daemon refuses a password that many people use, also a common word with digits and signs around it (Welcome@123).',
  options: [
    { flags: '--username <name>', summary: 'user name' },
    { flags: '--email <address>', summary: 'e-mail address' },
    { flags: '--password-stdin', summary: 'read the password from stdin' },
  ],
  async run(context, input) {
    await createFirstUser(context, input)
    return EXIT.done
  },
}

/** The part of the options that says who the user is. */
type Given = Pick<Input, 'text' | 'flag'>

/** Creates the first user from the options, and from what a person types for the others; shows and stores the API key. */
export async function createFirstUser(context: Context, input: Given): Promise<void> {
  await requireOwnDaemon(context)
  await context.pinId()
  const { out, target, settings } = context
  const rules = await openSetup(context)
  refuseMissing(context, input)
  if (target.context !== undefined) {
    out.note(`The first user of the daemon of the context ${visible(target.context.name)}, ${target.url}:`)
  }
  if (settings.interactive) showRules(context, rules)
  const { apikey, username } = await created(context, await accountOf(context, input))
  keepSecret(target, 'apikey.json', { value: apikey, username, expiresAt: undefined })
  await out.record({
    record: { username, apikey },
    fields: [{ key: 'username' }, { key: 'apikey', title: 'API KEY' }],
    id: 'apikey',
  })
  out.note(
    `The key is shown only now; it is stored in ${target.context === undefined ? 'the home' : target.folder}. Next: svc login, svc order place --help`,
  )
}

/** A home whose daemon is stopped has only a port, where the daemon of another home may listen. It would get the user. */
async function requireOwnDaemon(context: Context): Promise<void> {
  const { settings, target } = context
  if (target.source !== 'default' || !(await probe(context)).live) return
  const message = `The daemon of this home (${settings.home}) does not run, and another one answers at ${target.url}. No user was created.`
  throw new CliError(EXIT.denied, message, {
    code: 'another_daemon',
    hint: `Start the own one: svc up --detach --port 0. If you mean the other one, name it: svc setup --url ${target.url}`,
  })
}

const STATE = 'GET /auth/check-setup'

/** Returns the rules of an account; fails before any prompt when a user already exists. */
async function openSetup(context: Context): Promise<Rules> {
  const { body } = await context.client().send({ route: STATE, ...requestTo(STATE, {}), changes: false })
  if (body.needs_setup) return body.rules
  throw new CliError(EXIT.refused, 'The first user already exists.', {
    code: 'conflict',
    hint: 'Sign in: svc login',
  })
}

/** Names everything that is missing in a script, where nobody can be asked. */
function refuseMissing({ settings }: Context, input: Given): void {
  if (settings.interactive) return
  const given = {
    username: input.text('username'),
    email: input.text('email'),
    password: input.flag('passwordStdin'),
  }
  const missing = FIELDS.filter((field) => !given[field])
  if (missing.length === 0) return
  const names = missing.map((field) => LABELS[field]).join(', ')
  const options = missing.map((field) => OPTIONS[field]).join(' ')
  throw usageError(`Missing: ${names}.`, `Pass ${options}.`)
}

/** Shows the rules before the first question. An empty value needs no rule of its own. */
function showRules({ io }: Context, rules: Rules): void {
  if (rules === undefined) return
  const lines = FIELDS.flatMap((field) => rules[field].filter((text) => !text.endsWith(' is required')))
  io.stderr.write(`${lines.map((line) => `  ${visible(line)}\n`).join('')}`)
}

/** Returns a field as typed. */
const typed = (context: Context, field: Field): Promise<string> =>
  field === 'password'
    ? context.prompts.secret(false, LABELS.password, { twice: true })
    : context.prompts.text(undefined, LABELS[field], OPTIONS[field])

/** Returns the fields from the options, otherwise as typed. */
async function accountOf(context: Context, input: Given): Promise<Account> {
  return {
    username: input.text('username') ?? (await typed(context, 'username')),
    email: input.text('email') ?? (await typed(context, 'email')),
    password: input.flag('passwordStdin')
      ? await context.prompts.secret(true, LABELS.password, { twice: false })
      : await typed(context, 'password'),
  }
}

/** Creates the user. At a terminal, each refused field is asked again, until the daemon accepts all. */
async function created(context: Context, account: Account): Promise<RouteAnswer<'POST /setup'>> {
  for (;;) {
    try {
      const { body } = await context.client().send({
        route: 'POST /setup',
        ...requestTo('POST /setup', { body: account }),
        changes: true,
        followUp: 'Check whether the user exists: svc login',
      })
      return body
    } catch (thrown) {
      const broken = brokenRules(thrown)
      if (!(thrown instanceof CliError) || broken.length === 0) throw thrown
      if (!context.settings.interactive) throw withAllRules(thrown, broken)
      for (const { texts } of broken) for (const text of texts) context.io.stderr.write(`${visible(text)}.\n`)
      for (const { field } of broken) account[field] = await typed(context, field)
    }
  }
}

interface Broken {
  field: Field
  texts: string[]
}

/** Returns the broken rules of each field in the daemon's refusal. */
function brokenRules(thrown: unknown): Broken[] {
  const response = thrown instanceof CliError && isObject(thrown.response) ? thrown.response : {}
  const errors = isObject(response.errors) ? response.errors : {}
  return FIELDS.flatMap((field) => {
    const texts = errors[field]
    return Array.isArray(texts) ? [{ field, texts: texts.map(String) }] : []
  })
}

function withAllRules({ exit, code, response }: CliError, broken: readonly Broken[]): CliError {
  return new CliError(exit, broken.flatMap(({ texts }) => texts).join('; '), { code, response })
}
