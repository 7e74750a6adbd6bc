import { DEFAULT_RULES, type RiskGate } from '../../../core/risk/index.js'
import { type ReservedRun, reservedText } from '../../../core/strategies/index.js'
import type { Handlers } from '../../http/handlers.js'

interface RiskParts {
  risk: RiskGate
  announce(on: boolean, reason: string, by: string): void
  /** The runs of strategies that nobody manages. */
  reservedRuns(): ReservedRun[]
}

const NOT_STORED =
  'It is not stored yet, because the disk is full or failing: if the service ends before the disk accepts it, ' +
  'trading is on again after the restart. The service retries every second; svc risk show says whether it is stored.'

/** Returns the handlers for the pre-trade limits and the kill switch. */
export function riskHandlers({ risk, announce, reservedRuns }: RiskParts) {
  const view = () => {
    const { since, ...state } = risk.killSwitch
    return {
      rules: risk.rules,
      defaults: { ...DEFAULT_RULES },
      kill_switch: {
        ...state,
        since: since ? new Date(since).toISOString() : null,
        stored: risk.killSwitchStored,
      },
    }
  }
  return {
    'GET /risk': () => ({ status: 'success', data: view() }),
    'PUT /risk': async ({ body: change }, { username }) => {
      await risk.change(change, username)
      return { status: 'success', data: view() }
    },
    'POST /risk/kill-switch': async ({ body: { on, reason } }, { username: by }) => {
      const state = await risk.setKillSwitch(on, reason, by)
      announce(state.on, state.reason, by)
      const reserved = reservedRuns()
      return {
        status: 'success',
        message: `${killSwitchMessage(on, risk.killSwitchStored)}${on ? reservedText(reserved) : ''}`,
        data: view(),
        reserved_runs: reserved.map((run) => ({
          strategy_id: run.strategyId,
          run_id: run.runId,
          reason: run.reason,
        })),
      }
    },
  } satisfies Partial<Handlers>
}

function killSwitchMessage(on: boolean, stored: boolean): string {
  if (!on) return 'Trading resumed.'
  const isOn = 'Kill switch on: no new order is sent. Cancels and closes still work.'
  return stored ? isOn : `${isOn} ${NOT_STORED}`
}
