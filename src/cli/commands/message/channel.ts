import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { given, switchOf } from './options.js'

const telegram: CommandSpec = {
  name: 'telegram',
  summary: 'Changes the Telegram bot. Options that you leave out keep their values.',
  details:
    'Create a bot with @BotFather in Telegram, and pass its token. The bot asks Telegram for updates; with ' +
    '--polling off Telegram sends them to --webhook-url, which must lead to /api/v1/telegram/webhook of this service. ' +
    asksAgain('Every change but --start and --stop'),
  examples: [
    'message channel telegram --token-stdin < token.txt',
    'message channel telegram --polling off --webhook-url https://desk.example/api/v1/telegram/webhook',
    'message channel telegram --rate 20',
    'message channel telegram --stop',
  ],
  options: [
    { flags: '--token', summary: 'ask for the token of the bot' },
    { flags: '--token-stdin', summary: 'read the token from stdin' },
    { flags: '--polling <state>', summary: 'on or off', choices: ['on', 'off'] },
    { flags: '--webhook-url <url>', summary: 'address of the webhook' },
    { flags: '--broadcast <state>', summary: 'on or off', choices: ['on', 'off'] },
    {
      flags: '--rate <count>',
      field: 'rate_limit_per_minute',
      summary: 'messages to one chat in a minute, 1 to 120',
    },
    { flags: '--start', summary: 'start the bot' },
    { flags: '--stop', summary: 'stop the bot, also after a restart' },
  ],
  async run(context, input) {
    const [start, stop] = [input.flag('start'), input.flag('stop')]
    if (start && stop) throw usageError('Pass --start or --stop, not both.')
    const body = given({
      token: await secretOf(context, input, 'token', 'Token of the bot'),
      polling_mode: switchOf(input, 'polling'),
      webhook_url: input.text('webhookUrl'),
      broadcast_enabled: switchOf(input, 'broadcast'),
      rate_limit_per_minute: input.text('rate'),
    })
    const isChange = Object.keys(body).length > 0
    if (!isChange && !start && !stop)
      throw usageError('Nothing to set.', 'See: svc message channel telegram --help')
    if (isChange) {
      const answer = await context.change('PUT /messages/channels/telegram', { body })
      await context.out.acted(answer.body, `${answer.body.message} Next: svc message link`)
    }
    if (start || stop) {
      const route = `POST /messages/channels/telegram/${start ? 'start' : 'stop'}` as const
      const answer = await context.change(route, {})
      await context.out.acted(answer.body, answer.body.message)
    }
    return EXIT.done
  },
}

const whatsapp = declared({
  name: 'whatsapp',
  summary: 'Changes the account of the WhatsApp Cloud API. An empty value removes one.',
  details:
    'Token and phone number id are on the page "WhatsApp, API Setup" of your app at developers.facebook.com. The app ' +
    'secret and the verify token are needed only for the webhook, /whatsapp/webhook of this service. ' +
    asksAgain(),
  examples: [
    'message channel whatsapp --phone-number-id 106540352242922 --token-stdin < token.txt',
    'message channel whatsapp --app-secret-stdin < app-secret.txt',
    'message channel whatsapp --template svc_alert --template-language en',
  ],
  options: [
    { flags: '--token', summary: 'ask for the access token' },
    { flags: '--token-stdin', summary: 'read the access token from stdin' },
    { flags: '--phone-number-id <id>', summary: 'id of the number that sends' },
    { flags: '--app-secret', summary: 'ask for the secret of the app, which signs the webhook' },
    { flags: '--app-secret-stdin', summary: 'read the secret of the app from stdin' },
    { flags: '--verify-token', summary: 'ask for the text with which WhatsApp confirms the webhook' },
    { flags: '--verify-token-stdin', summary: 'read that text from stdin' },
    {
      flags: '--template <name>',
      summary: 'approved template with one parameter, for texts after 24 hours of silence',
    },
    { flags: '--template-language <code>', summary: 'language of the template, such as en or en_US' },
  ],
  calls: 'PUT /messages/channels/whatsapp',
  async request(input, context) {
    const fromStdin = ['tokenStdin', 'appSecretStdin', 'verifyTokenStdin'].filter((name) => input.flag(name))
    if (fromStdin.length > 1)
      throw usageError('Only one secret can come from stdin. Pass the others in calls of their own.')
    const body = given({
      token: await secretOf(context, input, 'token', 'Access token of WhatsApp'),
      phone_number_id: input.text('phoneNumberId'),
      app_secret: await secretOf(context, input, 'app-secret', 'Secret of the app'),
      verify_token: await secretOf(context, input, 'verify-token', 'Verify token'),
      template: input.text('template'),
      template_language: input.text('templateLanguage'),
    })
    if (Object.keys(body).length === 0)
      throw usageError('Nothing to set.', 'See: svc message channel whatsapp --help')
    return { body }
  },
  acted: ({ message }) => `${message} Next: svc message contact whatsapp NUMBER`,
})

const FLAGS = {
  token: ['token', 'tokenStdin'],
  'app-secret': ['appSecret', 'appSecretStdin'],
  'verify-token': ['verifyToken', 'verifyTokenStdin'],
} as const

/** Returns a secret that a person types or stdin has. No option takes one as its value: others see a command line. */
async function secretOf(
  context: Context,
  input: Input,
  option: keyof typeof FLAGS,
  question: string,
): Promise<string | undefined> {
  const [ask, stdin] = FLAGS[option]
  const fromStdin = input.flag(stdin)
  if (!fromStdin && !input.flag(ask)) return undefined
  return context.prompts.secret(fromStdin, question, {
    twice: false,
    hint: `Pass it on stdin with --${option}-stdin.`,
  })
}

export const channel: CommandSpec = {
  name: 'channel',
  summary: 'Sets up Telegram or WhatsApp. E-mail uses the mail server of svc smtp.',
  examples: ['message channel telegram --token', 'message channel whatsapp --template svc_alert'],
  verbs: [telegram, whatsapp],
}
