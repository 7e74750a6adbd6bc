import { isObject, parseJson } from '../../../client/answers/json.js'
import { asksAgain } from '../../framework/asks-again.js'
import { splitAssignment } from '../../framework/assignments.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { readInput } from '../order/request.js'
import { askField, awaitCallback, type Broker, type Values } from './broker-callback.js'

/** A broker checks a token, and may be slow. */
const SIGN_IN_MS = 60_000

export const login: CommandSpec = {
  name: 'login',
  summary:
    'Signs in at the broker. On a terminal it asks for each field, and shows the address of the broker.',
  details:
    'A terminal asks for the fields that neither the options nor the configuration give, secret ones without echo. It then ' +
    'shows the log-in page of the broker and waits for its callback; where the callback does not reach this service, paste the ' +
    'address that the browser was sent to, or the token. In a script, the fields come from --from and --field; secrets ' +
    `are never read from the command line. ${asksAgain()}`,
  examples: [
    'broker login',
    'broker login --from credentials.json',
    'pass show broker | svc broker login --from -',
  ],
  options: [
    { flags: '--from <file>', summary: 'the fields as a JSON object; - reads stdin' },
    {
      flags: '--field <name=value>',
      summary: 'a field that is not secret (may be repeated)',
      repeatable: true,
    },
  ],
  async run(context, input) {
    const given = await givenFields(context, input)
    const broker = context.settings.interactive ? await activeBroker(context) : undefined
    if (!broker || isComplete(broker, given)) return signIn(context, given)
    const asked = await askedFields(context, broker, given)
    if (!broker.login_page) return signIn(context, asked)
    const pasted = await awaitCallback(context, broker, asked)
    if (pasted) return signIn(context, { ...asked, ...pasted })
    context.out.note('Signed in at the broker. Next: svc broker status')
    return EXIT.done
  },
}

async function givenFields(context: Context, input: Input): Promise<Values> {
  const file = input.text('from')
  const given = file === undefined ? {} : parseJson(await readInput(file, context.io))
  if (!isObject(given)) throw usageError(`${file} must contain one JSON object.`)
  const words = input.list('field').map((word) => splitAssignment(word, 'name=value'))
  return { ...given, ...Object.fromEntries(words) }
}

async function activeBroker(context: Context): Promise<Broker | undefined> {
  const { data } = (await context.read('GET /broker/list')).body
  return data.find(({ active, available }) => active && available)
}

/** Returns whether nobody needs to be asked: the fields hold what comes after the log-in page, or the broker asks for none. */
function isComplete({ credential_fields: fields, login_page: hasPage }: Broker, given: Values): boolean {
  const needed = hasPage
    ? fields.some(({ name, step }) => step === 'complete' && given[name])
    : fields.every(({ name, required, configured }) => !required || configured || given[name])
  return fields.length === 0 || needed
}

async function signIn(context: Context, fields: Values): Promise<typeof EXIT.done> {
  const request = { body: { fields } }
  const { body } = await context.change('POST /broker/login', request, { timeoutMs: SIGN_IN_MS })
  await context.out.acted(body, 'Signed in at the broker. Next: svc broker status')
  return EXIT.done
}

/**
 * Returns the given fields with those that a person types: before the log-in page of the broker, or all. A configured value is
 * not asked for, unless another application was given: its key and secret belong together.
 */
async function askedFields(context: Context, broker: Broker, given: Values): Promise<Values> {
  const { credential_fields: fields, login_page: hasPage } = broker
  const isOther = fields.some(({ configured, name }) => configured && given[name])
  const values: Record<string, unknown> = { ...given }
  context.out.note(`Signing in at ${broker.name}.`)
  for (const field of fields) {
    if (values[field.name] || (field.configured && !isOther)) continue
    if (hasPage && field.step !== 'begin') continue
    const typed = await askField(context, field, { isNeeded: hasPage || field.required })
    if (typed !== '') values[field.name] = typed
  }
  return values
}
