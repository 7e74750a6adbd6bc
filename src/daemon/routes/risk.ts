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
      kill_switch: { ...state, since: since ? new Date(since).toISOString() : null },
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
      const message = on ? 'Kill switch on: no new order is sent. Cancels still work.' : 'Trading resumed.'
      return c.json({ status: 'success', message, data: view() })
    })
}
