import { Hono } from 'hono'
import { z } from 'zod'
import type { Sandbox } from '../../core/sandbox/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { requireScopes } from '../middleware/session.js'

const updateBody = z.object({
  config_key: fields.text(100).optional(),
  config_value: z.union([z.string().max(255), z.number()]).optional(),
})

/** Configuration and reset of the simulated account (contract, sandbox sections 1 and 12). */
export function sandboxRoutes({ sandbox }: { sandbox: Sandbox }): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'settings'))
    .get('/api/configs', async (c) => {
      const configs = Object.fromEntries(
        (await sandbox.settings()).map(({ key, ...setting }) => [key, setting]),
      )
      return c.json({ status: 'success', configs })
    })
    .post('/update', async (c) => {
      const { config_key: key, config_value: value } = parseWith(updateBody, await readJson(c))
      await sandbox.changeSetting(key, value === undefined ? undefined : String(value))
      return c.json({ status: 'success', message: `Configuration ${key} updated successfully` })
    })
    .post('/reset', async (c) => {
      await sandbox.reset(c.get('principal').username)
      return c.json({
        status: 'success',
        message:
          'Configuration and data reset to defaults successfully. All orders, trades, positions, holdings, and P&L history have been cleared.',
      })
    })
}
