import type { Settings } from '../../../core/settings/index.js'
import { readJson } from '../../http/body/body.js'
import { parsePlain } from '../../http/body/plain-error.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { securitySettingsPayload } from '../../operations/security/payloads.js'
import { settingsRow } from './overview.js'

/** Returns the handler for the settings of automatic bans. Its refusals have a member of their own. */
export function securitySettingsHandlers({ settings }: { settings: Settings }) {
  return {
    'POST /security/settings': httpHandler(async (c) => {
      const change = parsePlain(securitySettingsPayload, await readJson(c))
      const changed = await settings.update({
        securityAutoBanEnabled: change.auto_ban_enabled,
        security404Threshold: change.threshold_404,
        security404BanDuration: change.ban_duration_404,
        securityApiThreshold: change.threshold_api,
        securityApiBanDuration: change.ban_duration_api,
        securityRepeatOffenderLimit: change.repeat_offender_limit,
      })
      return c.json({
        success: true,
        message: 'Security settings updated successfully',
        settings: settingsRow(changed),
      })
    }),
  } satisfies Partial<Handlers>
}
