import type { Column } from '../../../views/table/column.js'
import type { NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { usageError } from '../../framework/errors.js'
import { channel } from './channel.js'
import { contact, link, preferences } from './contact.js'
import { CHANNEL_ARGUMENT, CHANNEL_NAMES, channelOf } from './options.js'

const status = declared({
  name: 'status',
  summary: 'Shows each channel: whether it is ready, your address, and the messages of the queue.',
  examples: ['message status', 'message status --json'],
  calls: 'GET /messages/status',
  list: ({ data }) => ({
    rows: data.channels,
    columns: [
      { key: 'channel' },
      { key: 'ready' },
      { key: 'address' },
      { key: 'waiting', kind: 'quantity' },
      { key: 'sent', kind: 'quantity' },
      { key: 'dead', kind: 'quantity' },
      { key: 'note' },
    ],
    id: 'channel',
    empty: 'No channels.',
  }),
})

const test = declared({
  name: 'test',
  summary: 'Sends yourself a test message and waits until the channel has accepted it.',
  examples: ['message test telegram'],
  arguments: [CHANNEL_ARGUMENT],
  calls: 'POST /messages/test',
  request: (input) => ({ body: { channel: channelOf(input.required(0)) } }),
  acted: ({ message }) => message,
})

const MESSAGE_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'channel' },
  { key: 'address', leaves: 1 },
  { key: 'event' },
  { key: 'state' },
  { key: 'attempts', kind: 'quantity', leaves: 3 },
  { key: 'created_at', title: 'CREATED', kind: 'time' },
  { key: 'next_attempt_at', title: 'NEXT', kind: 'time', leaves: 2 },
  { key: 'error' },
] as const satisfies readonly Column[]

const list = declared({
  name: 'list',
  summary: 'Lists messages, the newest first: waiting, sent and dead ones of the last seven days.',
  examples: ['message list', 'message list --state dead', 'message list --channel email --limit 10 --json'],
  options: [
    { flags: '--channel <channel>', summary: 'only this channel', choices: CHANNEL_NAMES },
    { flags: '--state <state>', summary: 'waiting, sent or dead', choices: ['waiting', 'sent', 'dead'] },
    { flags: '--limit <count>', summary: 'how many, up to 1000 (default: 50)' },
  ],
  columns: MESSAGE_COLUMNS,
  calls: 'GET /messages/queue',
  request: (input) => ({ query: input.fields({ channel: 'channel', state: 'state', limit: 'limit' }) }),
  list: ({ data }) => ({
    rows: data,
    columns: MESSAGE_COLUMNS,
    id: 'id',
    empty: 'No messages.',
  }),
})

const retry = declared({
  name: 'retry',
  summary: 'Tries a dead message again, or all of them.',
  examples: ['message retry 12', 'message retry --all'],
  arguments: [{ syntax: '[id]', summary: 'id from svc message list --state dead' }],
  options: [{ flags: '--all', summary: 'all dead messages' }],
  calls: 'POST /messages/queue/retry',
  request(input) {
    const id = input.argument(0)
    if ((id === undefined) === !input.flag('all'))
      throw usageError('Name a message, or pass --all.', 'svc message list --state dead')
    if (id !== undefined && !/^\d{1,15}$/.test(id)) throw usageError(`${id} is not the id of a message.`)
    return { body: id === undefined ? {} : { id: Number(id) } }
  },
  acted: ({ message }) => message,
})

export const message: NounSpec = {
  summary: 'Messages to you by Telegram, WhatsApp and e-mail: channels, addresses, events, the queue.',
  examples: [
    'message status',
    'message channel telegram --token',
    'message link',
    'message preferences telegram --trades off',
  ],
  verbs: [status, test, channel, link, contact, preferences, list, retry],
}
