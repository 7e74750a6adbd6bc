import { requestTo } from '../../../client/routes.js'
import type { CommandSpec } from '../../framework/command.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Client } from '../../http/client.js'
import { storeSecret } from '../../io/home.js'

export const setup: CommandSpec = {
  name: 'setup',
  summary: 'Creates the first user. Prints the API key once and stores it in the home (0600).',
  examples: [
    'setup',
    'setup --username alice --email alice@example.com --password-stdin < password.txt',
    'setup --username alice --email alice@example.com --password-stdin --json < password.txt',
  ],
  options: [
    { flags: '--username <name>', summary: 'user name' },
    { flags: '--email <address>', summary: 'e-mail address' },
    { flags: '--password-stdin', summary: 'read the password from stdin' },
  ],
  async run(context, input) {
    const { prompts, out, target, settings } = context
    await refuseWhenDone(context.client())
    const username = await prompts.text(input.text('username'), 'Username', '--username NAME')
    const email = await prompts.text(input.text('email'), 'E-mail', '--email ADDRESS')
    const password = await prompts.secret(input.flag('passwordStdin'), 'Password', { twice: true })
    const { body } = await context.client().send({
      route: 'POST /setup',
      ...requestTo('POST /setup', { body: { username, email, password } }),
      changes: true,
      followUp: 'Check whether the user exists: svc login',
    })
    const { apikey, username: name } = body
    storeSecret(settings.home, 'apikey.json', {
      value: apikey,
      username: name,
      url: target.url,
      expiresAt: undefined,
    })
    await out.record({
      record: { username: name, apikey },
      fields: [{ key: 'username' }, { key: 'apikey', title: 'API KEY' }],
      id: 'apikey',
    })
    out.note('The key is shown only now; it is stored in the home. Next: svc login, svc order place --help')
    return EXIT.done
  },
}

const STATE = 'GET /auth/check-setup'

/** Fails before any prompt when a user already exists. */
async function refuseWhenDone(client: Client): Promise<void> {
  const { body } = await client.send({ route: STATE, ...requestTo(STATE, {}), changes: false })
  if (!body.needs_setup) {
    throw new CliError(EXIT.refused, 'The first user already exists.', {
      code: 'conflict',
      hint: 'Sign in: svc login',
    })
  }
}
