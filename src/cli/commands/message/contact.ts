import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { CHANNEL_ARGUMENT, channelOf, given, switchOf } from './options.js'

export const link = declared({
  name: 'link',
  summary: 'Creates a code that links your Telegram chat. Send it to the bot: /link CODE',
  details:
    'The code works once, for ten minutes. A linked chat reads your account, and approves orders, changes the mode ' +
    'and turns the kill switch on and off, each after a confirmation. ' +
    asksAgain(),
  examples: ['message link', 'message link -q'],
  calls: 'POST /messages/link',
  record: ({ data }) => ({
    record: data,
    id: 'code',
    fields: [
      { key: 'code' },
      { key: 'expires_at', title: 'EXPIRES', kind: 'time' },
      { key: 'bot_username', title: 'BOT' },
    ],
  }),
  note: ({ message }) => message,
})

export const contact: CommandSpec = {
  name: 'contact',
  summary: 'Sets or removes your phone number or mail address for messages.',
  details: `A Telegram chat links itself, with a code of svc message link; --remove ends its link. ${asksAgain('A new address')}`,
  examples: [
    'message contact whatsapp 919876543210',
    'message contact email asha@example.org',
    'message contact email --remove --yes',
  ],
  arguments: [
    CHANNEL_ARGUMENT,
    { syntax: '[address]', summary: 'phone number with country code, or mail address' },
  ],
  options: [{ flags: '--remove', summary: 'send no more messages there' }],
  async run(context, input) {
    const channel = channelOf(input.required(0))
    const address = input.argument(1)
    if ((address === undefined) === !input.flag('remove')) throw usageError('Pass an address, or --remove.')
    if (address === undefined) {
      await context.prompts.confirm(`Remove your address of ${channel}`)
      const { body } = await context.change('DELETE /messages/contacts/:channel', { params: { channel } })
      await context.out.acted(body, body.message)
      return EXIT.done
    }
    const { body } = await context.change('PUT /messages/contacts/:channel', {
      params: { channel },
      body: { address },
    })
    await context.out.acted(body, `${body.message} Next: svc message test ${channel}`)
    return EXIT.done
  },
}

const EVENTS = {
  orders: 'orders that were placed, changed, cancelled or closed',
  failures: 'orders and changes that failed or were refused',
  trades: 'orders that were filled, or rejected later',
  approvals: 'orders that wait for approval',
  system: 'kill switch, mode, orders in doubt',
  pnl: 'profit and loss in the daily summary',
  summary: 'the daily summary',
  enabled: 'all messages of the channel',
} as const

export const preferences: CommandSpec = {
  name: 'preferences',
  summary: 'Chooses the events that you want on a channel. Without options, shows your choice.',
  examples: [
    'message preferences telegram',
    'message preferences email --orders off --trades off',
    'message preferences telegram --at 16:00',
  ],
  arguments: [CHANNEL_ARGUMENT],
  options: [
    ...Object.entries(EVENTS).map(([name, summary]) => ({
      flags: `--${name} <state>`,
      summary: `on or off: ${summary}`,
      choices: ['on', 'off'],
    })),
    { flags: '--at <time>', summary: 'time of the daily summary, such as 18:00' },
    { flags: '--timezone <name>', summary: 'time zone of that time (default: Asia/Kolkata)' },
  ],
  async run(context, input) {
    const channel = channelOf(input.required(0))
    const body = preferencesOf(input)
    if (Object.keys(body).length > 0) {
      const answer = await context.change('PUT /messages/preferences/:channel', { params: { channel }, body })
      await context.out.acted(answer.body, answer.body.message)
      return EXIT.done
    }
    const { data } = (await context.read('GET /messages/status')).body
    await context.out.list({
      rows: data.contacts.filter((one) => one.channel === channel),
      columns: [
        { key: 'username', leaves: 1 },
        { key: 'address' },
        ...(['enabled', 'orders', 'failures', 'trades', 'approvals', 'system', 'pnl'] as const).map(
          (key) => ({ key }),
        ),
        { key: 'daily_summary', title: 'SUMMARY' },
        { key: 'summary_time', title: 'AT' },
        { key: 'timezone', leaves: 2 },
      ],
      id: 'address',
      empty: `You have no address on ${channel}. Set one: svc message contact --help`,
    })
    return EXIT.done
  },
}

function preferencesOf(input: Input) {
  return given({
    ...Object.fromEntries(
      (['enabled', 'orders', 'failures', 'trades', 'approvals', 'system', 'pnl'] as const).map((name) => [
        name,
        switchOf(input, name),
      ]),
    ),
    daily_summary: switchOf(input, 'summary'),
    summary_time: input.text('at'),
    timezone: input.text('timezone'),
  })
}
