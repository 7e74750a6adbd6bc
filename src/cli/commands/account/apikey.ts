import type { RouteAnswer } from '../../../client/endpoints.js'
import { masked } from '../../../views/text/masked.js'
import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { keepSecret } from '../../http/credentials.js'

const show: CommandSpec = {
  name: 'show',
  summary: 'Shows the API key, masked unless --reveal.',
  details: `${asksAgain()} Without that, a script gets the key that is stored in the home. With -q it needs --reveal.`,
  examples: ['apikey show', 'apikey show --save', 'apikey show --reveal -q'],
  options: [
    { flags: '--reveal', summary: 'show the whole key' },
    { flags: '--save', summary: 'store the key in the home (0600) for the API commands' },
  ],
  async run(context, input) {
    // With -q a script reads the output as the key.
    if (context.settings.quiet && !input.flag('reveal'))
      throw usageError('Without --reveal the key is masked, and -q would print that.', 'Pass --reveal.')
    const body = await keyOf(context)
    const { api_key: key } = body
    if (input.flag('save')) {
      if (!key)
        throw new CliError(EXIT.notFound, 'There is no API key.', { hint: 'Create one: svc apikey rotate' })
      keep(context, key, body.login_username)
    }
    await context.out.record({
      record: { ...body, api_key: key && !input.flag('reveal') ? masked(key) : (key ?? null) },
      fields: [
        { key: 'login_username', title: 'USERNAME' },
        { key: 'api_key', title: 'API KEY' },
        { key: 'order_mode', title: 'ORDER MODE', kind: 'status' },
      ],
      id: 'api_key',
    })
    return EXIT.done
  },
}

/** Returns the key as the daemon tells it; when a script would have to sign in again for that, the key of the home. */
async function keyOf(context: Context): Promise<RouteAnswer<'GET /apikey'>> {
  try {
    return (await context.read('GET /apikey')).body
  } catch (thrown) {
    const isOld = thrown instanceof CliError && thrown.code === 'reauthentication_required'
    if (!isOld || !context.hasApiKey) throw thrown
    // If the daemon still takes it, it is the current one.
    const answer = await context.apiRead('desk').catch(() => undefined)
    if (answer === undefined) throw thrown
    const { order_mode } = answer.body.data
    const { username } = (await context.read('GET /auth/whoami')).body.data
    return { login_username: username, has_api_key: true, api_key: context.apiKey, order_mode }
  }
}

const rotate: CommandSpec = {
  name: 'rotate',
  summary:
    'Creates a new API key and stores it in the home. The old key stops working at once. The new one is shown only once.',
  details: asksAgain(),
  examples: ['apikey rotate', 'apikey rotate --yes -q'],
  async run(context) {
    await context.prompts.confirm('Replace the API key; programs that use the old key stop working')
    const username = await usernameOf(context)
    const { body } = await context.change(
      'POST /apikey',
      { body: { user_id: username } },
      { followUp: 'See the current key: svc apikey show' },
    )
    const { api_key: key } = body
    if (!key) throw new CliError(EXIT.failed, 'The answer of the daemon contains no API key.')
    keep(context, key, username)
    await context.out.record({
      record: { username, api_key: key },
      fields: [{ key: 'username' }, { key: 'api_key', title: 'API KEY' }],
      id: 'api_key',
    })
    context.out.note('The old key no longer works. Set the new one in your bots.')
    return EXIT.done
  },
}

function keep(context: Context, value: string, username: string | undefined): void {
  const target = { ...context.target, trust: context.trust }
  keepSecret(target, 'apikey.json', { value, username, expiresAt: undefined })
  context.out.note(`The key is stored in ${context.target.folder}.`)
}

/** Returns the user of the session; session routes expect it as `user_id`. */
export async function usernameOf(context: Context): Promise<string> {
  const { body } = await context.read('GET /auth/whoami')
  return body.data.username
}

export const apikey: NounSpec = {
  summary: 'The API key, used by bots and by the order commands.',
  examples: ['apikey show', 'apikey show --save', 'apikey rotate'],
  verbs: [show, rotate],
}
