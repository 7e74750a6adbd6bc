import { asksAgain } from '../../framework/asks-again.js'
import type { NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

const show = declared({
  name: 'show',
  summary: 'Shows the mail server. Of the password only whether there is one.',
  examples: ['smtp show', 'smtp show --json'],
  calls: 'GET /auth/smtp-config',
  record: ({ data }) => ({
    record: data,
    id: 'smtp_server',
    fields: [
      { key: 'smtp_server', title: 'SERVER' },
      { key: 'smtp_port', title: 'PORT' },
      { key: 'smtp_username', title: 'USERNAME' },
      { key: 'smtp_password', title: 'PASSWORD SET' },
      { key: 'smtp_use_tls', title: 'TLS' },
      { key: 'smtp_from_email', title: 'SENDER' },
      { key: 'smtp_helo_hostname', title: 'HELO NAME' },
    ],
  }),
})

const set = declared({
  name: 'set',
  summary: 'Sets the mail server. Options that you leave out keep their values; an empty value removes one.',
  details:
    'Port 465 is encrypted from the start; any other port must offer STARTTLS. The certificate must be valid for ' +
    '--server. --tls off works only for a server on this machine. ' +
    asksAgain(),
  examples: [
    'smtp set --server mail.example.org --port 587 --username desk --from desk@example.org --password-stdin < password.txt',
    'smtp set --port 465',
  ],
  options: [
    { flags: '--server <host>', field: 'smtp_server', summary: 'host name of the mail server' },
    { flags: '--port <port>', field: 'smtp_port', summary: '587 (the default at first), 465, …' },
    { flags: '--username <name>', field: 'smtp_username', summary: 'user name at the mail server' },
    { flags: '--password', field: 'smtp_password', summary: 'ask for the password of that user' },
    { flags: '--password-stdin', summary: 'read the password from stdin' },
    { flags: '--from <address>', field: 'smtp_from_email', summary: 'sender of the mails' },
    { flags: '--tls <state>', field: 'smtp_use_tls', summary: 'on or off', choices: ['on', 'off'] },
    {
      flags: '--helo <host>',
      field: 'smtp_helo_hostname',
      summary: 'name with which the service greets the mail server',
    },
  ],
  calls: 'POST /auth/smtp-config',
  async request(input, { prompts }) {
    const fromStdin = input.flag('passwordStdin')
    const secret =
      fromStdin || input.flag('password')
        ? await prompts.secret(fromStdin, 'Password of the mail server', { twice: false })
        : undefined
    const body = { ...input.fields(FIELDS), ...(secret !== undefined && { smtp_password: secret }) }
    if (Object.keys(body).length === 0) throw usageError('Nothing to set.', 'See: svc smtp set --help')
    return { body }
  },
  followUp: () => 'Check the settings: svc smtp show',
  acted: () => 'The mail server is set. Next: svc smtp debug, svc smtp test ADDRESS',
})

const FIELDS = {
  server: 'smtp_server',
  port: 'smtp_port',
  username: 'smtp_username',
  from: 'smtp_from_email',
  tls: 'smtp_use_tls',
  helo: 'smtp_helo_hostname',
} as const

const test = declared({
  name: 'test',
  summary: 'Sends a test mail and waits until the mail server has accepted it.',
  examples: ['smtp test asha@example.org'],
  arguments: [{ syntax: '<address>', field: 'test_email', summary: 'who gets the mail' }],
  calls: 'POST /auth/test-smtp',
  request: (input) => ({ body: { test_email: input.required(0) } }),
  acted: ({ message }) => message,
})

const debug = declared({
  name: 'debug',
  summary: 'Connects to the mail server and signs in, without sending a mail, and shows each step.',
  examples: ['smtp debug', 'smtp debug --json'],
  calls: 'POST /auth/debug-smtp',
  list: ({ details }) => ({
    rows: details.map((step) => ({ step })),
    columns: [{ key: 'step' }],
    id: 'step',
    empty: 'No steps.',
  }),
  note: ({ message, success }) => (success ? message : undefined),
  exit({ message, success }) {
    if (success) return EXIT.done
    throw new CliError(EXIT.failed, message, { hint: 'Change the settings: svc smtp set --help' })
  },
})

export const smtp: NounSpec = {
  summary: 'The mail server, which sends links to reset the password.',
  examples: ['smtp show', 'smtp set --server mail.example.org --username desk --password', 'smtp debug'],
  verbs: [show, set, test, debug],
}
