import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import { usageError } from '../../framework/errors.js'
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

const removed = called({
  calls: 'DELETE /messages/contacts/:channel',
  request(input) {
    const channel = channelOf(input.required(0))
    if (!input.flag('remove')) throw usageError('Pass an address, or --remove.')
    return { params: { channel } }
  },
  asks: ({ request }) => `Remove your address of ${request.params.channel}`,
  acted: ({ message }) => message,
})

const addressed = called({
  calls: 'PUT /messages/contacts/:channel',
  request(input) {
    const channel = channelOf(input.required(0))
    if (input.flag('remove')) throw usageError('Pass an address, or --remove.')
    return { params: { channel }, body: { address: input.required(1) } }
  },
  acted: ({ message }, { request }) => `${message} Next: svc message test ${request.params.channel}`,
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
  run: either((input) => input.argument(1) === undefined, removed, addressed),
}

const EVENTS = {
  orders: 'orders that were placed, changed, cancelled or closed',
  failures: 'orders and changes that failed or were refused',
  trades: 'orders that were filled, or rejected later',
  approvals: 'orders that wait for approval',
  system: 'session at the broker, kill switch, mode, orders in doubt',
  pnl: 'profit and loss in the daily summary',
  summary: 'the daily summary',
  enabled: 'all messages of the channel',
} as const

const KINDS = ['enabled', 'orders', 'failures', 'trades', 'approvals', 'system', 'pnl'] as const

const shownPreferences = called({
  calls: 'GET /messages/status',
  list({ data }, { input }) {
    const channel = channelOf(input.required(0))
    return {
      rows: data.contacts.filter((one) => one.channel === channel),
      columns: [
        { key: 'username', leaves: 1 },
        { key: 'address' },
        ...KINDS.map((key) => ({ key })),
        { key: 'daily_summary', title: 'SUMMARY' },
        { key: 'summary_time', title: 'AT' },
        { key: 'timezone', leaves: 2 },
      ],
      id: 'address',
      empty: `You have no address on ${channel}. Set one: svc message contact --help`,
    }
  },
})

const changedPreferences = called({
  calls: 'PUT /messages/preferences/:channel',
  request: (input) => ({
    params: { channel: channelOf(input.required(0)) },
    body: preferencesOf(input),
  }),
  acted: ({ message }) => message,
})

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
    { flags: '--at <time>', field: 'summary_time', summary: 'time of the daily summary, such as 18:00' },
    { flags: '--timezone <name>', summary: 'time zone of that time (default: Asia/Kolkata)' },
  ],
  run: either(
    (input) => Object.keys(preferencesOf(input)).length === 0,
    shownPreferences,
    changedPreferences,
  ),
}

function preferencesOf(input: Input) {
  return given({
    ...Object.fromEntries(KINDS.map((name) => [name, switchOf(input, name)])),
    daily_summary: switchOf(input, 'summary'),
    summary_time: input.text('at'),
    timezone: input.text('timezone'),
  })
}
