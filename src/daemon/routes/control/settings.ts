import { ServiceError } from '../../../core/errors/index.js'
import type { Handlers } from '../../http/handlers.js'

interface SettingsParts {
  analyzeMode(): boolean
  /** Switches the mode and starts or stops the sandbox engine with it. */
  setAnalyzeMode(on: boolean, by: string): Promise<void>
}

const WRONG_MODE = 'Must be 0 (Live) or 1 (Analyze).'

/** Returns the handlers for the mode: live or Analyzer. */
export function settingsHandlers(parts: SettingsParts) {
  return {
    'GET /settings/analyze-mode': () => ({ analyze_mode: parts.analyzeMode() }),
    'POST /settings/analyze-mode/:mode': async ({ params: { mode } }, { username }) => {
      if (mode !== '0' && mode !== '1') {
        throw new ServiceError('validation', `mode: ${WRONG_MODE}`, { errors: { mode: [WRONG_MODE] } })
      }
      const on = mode === '1'
      await parts.setAnalyzeMode(on, username)
      const message = on ? 'Switched to Analyze Mode' : 'Switched to Live Mode'
      return { success: true, analyze_mode: on, message }
    },
  } satisfies Partial<Handlers>
}
