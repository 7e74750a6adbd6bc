import { Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { AppEnv } from '../env.js'
import { requireScopes } from '../middleware/session.js'

export interface SettingsParts {
  analyzeMode(): boolean
  /** Switches the mode and starts or stops the sandbox engine with it. */
  setAnalyzeMode(on: boolean, by: string): Promise<void>
}

/** Live or Analyzer (specification, "Application mode"). */
export function settingsRoutes(parts: SettingsParts): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'settings'))
    .get('/analyze-mode', (c) => c.json({ analyze_mode: parts.analyzeMode() }))
    .post('/analyze-mode/:mode', async (c) => {
      const mode = c.req.param('mode')
      if (mode !== '0' && mode !== '1') {
        throw new ServiceError('validation', 'mode: Must be 0 (Live) or 1 (Analyze).', {
          errors: { mode: ['Must be 0 (Live) or 1 (Analyze).'] },
        })
      }
      const on = mode === '1'
      await parts.setAnalyzeMode(on, c.get('principal').username)
      const message = on ? 'Switched to Analyze Mode' : 'Switched to Live Mode'
      return c.json({ success: true, analyze_mode: on, message })
    })
}
