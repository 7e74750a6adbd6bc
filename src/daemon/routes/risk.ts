import type { RiskGate } from '../../core/risk/index.js'
import type { Handlers } from '../http/handlers.js'

export interface RiskParts {
  risk: RiskGate
  announce(on: boolean, reason: string, by: string): void
}

/** The pre-trade limits and the kill switch. */
export function riskHandlers({ risk, announce }: RiskParts) {
  const view = () => {
    const { since, ...state } = risk.killSwitch
    return {
      rules: risk.rules,
      kill_switch: { ...state, since: since ? new Date(since).toISOString() : null },
    }
  }
  return {
    'GET /risk': () => ({ status: 'success', data: view() }),
    'PUT /risk': async ({ body: change }, { username }) => {
      await risk.change(change, username)
      return { status: 'success', data: view() }
    },
    'POST /risk/kill-switch': async ({ body: { on, reason } }, { username: by }) => {
      const state = await risk.setKillSwitch(on, reason ?? (on ? 'No reason given' : 'Resumed'), by)
      announce(state.on, state.reason, by)
      const message = on ? 'Kill switch on: no new order is sent. Cancels still work.' : 'Trading resumed.'
      return { status: 'success', message, data: view() }
    },
  } satisfies Partial<Handlers>
}
