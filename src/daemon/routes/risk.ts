import { Hono } from 'hono'
import { z } from 'zod'
import { type RiskGate, riskRulesChange } from '../../core/risk/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { requireScopes } from '../middleware/session.js'

export interface RiskParts {
  risk: RiskGate
  announce(on: boolean, reason: string, by: string): void
}

/** What must be typed to resume: a stop is one key, going on is a decision. */
const RESUME_WORD = 'RESUME'

const NOT_STORED =
  'It is not stored yet, because the disk is full or failing: if the service ends before the disk accepts it, ' +
  'trading is on again after the restart. The service tries again every second; GET /risk tells when it is stored.'

export const killSwitchBody = z
  .strictObject({
    on: z.boolean({ error: 'Not a valid boolean.' }),
    reason: fields.text(500).optional(),
    confirm: fields.text(20).optional(),
  })
  .refine((body) => body.on || body.confirm === RESUME_WORD, {
    path: ['confirm'],
    message: `Must be ${RESUME_WORD} to switch trading on again.`,
  })

/** The pre-trade limits and the kill switch. */
export function riskRoutes({ risk, announce }: RiskParts): Hono<AppEnv> {
  const view = () => {
    const { since, ...state } = risk.killSwitch
    return {
      rules: risk.rules,
      kill_switch: {
        ...state,
        since: since ? new Date(since).toISOString() : null,
        stored: risk.killSwitchStored,
      },
    }
  }
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'admin'))
    .get('/', (c) => c.json({ status: 'success', data: view() }))
    .put('/', async (c) => {
      const change = parseWith(riskRulesChange, await readJson(c))
      await risk.change(change, c.get('principal').username)
      return c.json({ status: 'success', data: view() })
    })
    .post('/kill-switch', async (c) => {
      const { on, reason } = parseWith(killSwitchBody, await readJson(c))
      const by = c.get('principal').username
      const state = await risk.setKillSwitch(on, reason ?? (on ? 'No reason given' : 'Resumed'), by)
      announce(state.on, state.reason, by)
      return c.json({ status: 'success', message: told(on, risk.killSwitchStored), data: view() })
    })
}

function told(on: boolean, stored: boolean): string {
  if (!on) return 'Trading resumed.'
  const isOn = 'Kill switch on: no new order is sent. Cancels still work.'
  return stored ? isOn : `${isOn} ${NOT_STORED}`
}
