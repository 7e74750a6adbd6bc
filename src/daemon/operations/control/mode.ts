import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { message } from '../common/answers.js'
import { control } from './control-facts.js'

const WRONG_MODE = 'Must be 0 (Live) or 1 (Analyze).'

const analyzeMode = z.strictObject({ analyze_mode: z.boolean() })
const changedAnalyzeMode = z.strictObject({
  success: z.literal(true),
  analyze_mode: z.boolean(),
  message,
})

/** The mode: live or Analyzer. */
export const MODE_OPERATIONS = {
  'GET /settings/analyze-mode': control('Returns whether Analyzer mode is on.', {
    scopes: ['read', 'settings'],
    answer: analyzeMode,
    run: ({ mode }) => ({ analyze_mode: mode() === 'analyze' }),
  }),
  'POST /settings/analyze-mode/:mode': control('Switches to Analyzer mode (1) or Live mode (0).', {
    scopes: ['settings'],
    fresh: { mode: ['0'] },
    params: { mode: '1 or 0.' },
    answer: changedAnalyzeMode,
    errors: ['validation'],
    audit: { act: 'mode.set', values: modeValues, turn: 'mode' },
    run: async ({ modeSwitch }, { params: { mode } }, { username }) => {
      if (mode !== '0' && mode !== '1') {
        throw new ServiceError('validation', `mode: ${WRONG_MODE}`, { errors: { mode: [WRONG_MODE] } })
      }
      const on = mode === '1'
      await modeSwitch.set(on, username)
      const message = on ? 'Switched to Analyze Mode' : 'Switched to Live Mode'
      return { success: true, analyze_mode: on, message }
    },
  }),
}

function modeValues({ service }: ActRequest<RunningService>) {
  return { mode: service.mode() }
}
