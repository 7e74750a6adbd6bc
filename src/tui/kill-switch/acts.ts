import type { Change } from '../live/changes/changes.js'

/** A change of the kill switch, and the word that lets it go. */
export interface KillSwitchAct {
  word: string
  title: string
  lines: readonly string[]
  change(): Change
}

const CHECK = 'svc risk show'

export const ENGAGE: KillSwitchAct = {
  word: 'kill',
  title: 'Turn the kill switch on?',
  lines: [
    'No new order is sent, live or simulated, until it is off. Runs of strategies stop and close nothing.',
    'Open orders and positions stay. You can still cancel, close, and make orders smaller or less likely to fill.',
  ],
  change: () => ({
    name: 'Kill switch',
    check: CHECK,
    async send(client) {
      const body = { on: true, reason: 'from the terminal program' }
      const { data, reserved_runs: reserved } = await client.request('POST /risk/kill-switch', { body })
      const stored = data.kill_switch.stored ? '' : ' It is not stored yet: a restart would forget it.'
      const runs = reserved.length === 0 ? '' : ` ${reserved.length} runs need a person: svc strategy list.`
      return `ON, no new order is sent.${stored}${runs}`
    },
  }),
}

export const RESUME: KillSwitchAct = {
  word: 'RESUME',
  title: 'The kill switch is ON. Turn it off, so that orders are sent again?',
  lines: ['Webhooks, workflows and clients send again at once.'],
  change: () => ({
    name: 'Kill switch',
    check: CHECK,
    async send(client) {
      await client.request('POST /risk/kill-switch', { body: { on: false, confirm: 'RESUME' } })
      return 'off, orders are sent again.'
    },
  }),
}
