import type { NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { confirmWhileLive, LIVE_OPTION } from '../../io/confirm.js'
import { usernameOf } from '../account/apikey.js'

const FIELDS = [{ key: 'mode', title: 'ORDER MODE', kind: 'status' }] as const

const get = declared({
  name: 'get',
  summary: 'Shows the order mode: auto executes orders at once, semi_auto queues them for approval.',
  examples: ['mode get', 'mode get -q'],
  calls: 'GET /auth/whoami',
  record: ({ data }) => ({ record: { mode: data.order_mode }, fields: FIELDS, id: 'mode' }),
})

const set = declared({
  name: 'set',
  summary: 'Sets the order mode. In live mode, auto asks for the word LIVE.',
  examples: ['mode set semi_auto', 'mode set auto', 'mode set auto --confirm LIVE'],
  arguments: [{ syntax: '<mode>', summary: 'order mode', choices: ['auto', 'semi_auto'] }],
  options: [LIVE_OPTION],
  calls: 'POST /apikey/mode',
  async confirms({ context, input }) {
    if (input.required(0) !== 'auto') return
    await confirmWhileLive(context, input, (broker) => `Orders will reach ${broker} without approval`)
  },
  request: async (input, context) => ({
    body: { user_id: await usernameOf(context), mode: input.required(0) },
  }),
  record: (record) => ({ record, fields: FIELDS, id: 'mode' }),
  note: (_, { input }) =>
    input.required(0) === 'semi_auto'
      ? 'New orders wait for approval: svc approval watch'
      : 'New orders are executed at once. Waiting orders stay in the queue: svc approval list',
})

export const mode: NounSpec = {
  summary: 'Whether orders are executed at once (auto) or queued for approval (semi_auto).',
  examples: ['mode get', 'mode set semi_auto'],
  verbs: [get, set],
}
