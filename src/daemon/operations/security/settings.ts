import { z } from 'zod'
import { message } from '../common/answers.js'
import { signedIn } from '../running.js'
import { whole, YEAR_HOURS } from './ban-fields.js'
import { securitySettings, securitySettingsView } from './overview.js'

const DURATION = 'Ban duration must be Permanent (0) or between 1 hour and 1 year'

const securitySettingsPayload = z.strictObject({
  auto_ban_enabled: z.boolean('Not a valid boolean.').optional(),
  threshold_404: whole(1, 1000, '404 threshold must be between 1 and 1000').optional(),
  ban_duration_404: whole(0, YEAR_HOURS, DURATION).optional(),
  threshold_api: whole(1, 100, 'API threshold must be between 1 and 100').optional(),
  ban_duration_api: whole(0, YEAR_HOURS, DURATION).optional(),
  repeat_offender_limit: whole(1, 10, 'Repeat offender limit must be between 1 and 10').optional(),
})

const changedSettings = z.strictObject({ success: z.literal(true), message, settings: securitySettings })

/** The settings of automatic bans. */
export const SECURITY_SETTINGS_OPERATIONS = {
  'POST /security/settings': signedIn('Security', 'tenAMinute')(
    'Changes the settings of automatic bans; the others keep their value.',
    {
      scopes: ['admin'],
      body: securitySettingsPayload,
      plainErrors: true,
      example: { auto_ban_enabled: true, threshold_404: 50, ban_duration_404: 24 },
      answer: changedSettings,
      errors: ['validation', 'too_large', 'unsupported_media'],
      audit: {
        act: 'ban.set_rules',
        values: ({ service: { settings } }) =>
          Object.fromEntries(Object.entries(settings.get()).filter(([name]) => name.startsWith('security'))),
      },
      run: async ({ settings }, { body }) => {
        const changed = await settings.update({
          securityAutoBanEnabled: body.auto_ban_enabled,
          security404Threshold: body.threshold_404,
          security404BanDuration: body.ban_duration_404,
          securityApiThreshold: body.threshold_api,
          securityApiBanDuration: body.ban_duration_api,
          securityRepeatOffenderLimit: body.repeat_offender_limit,
        })
        return {
          success: true,
          message: 'Security settings updated successfully',
          settings: securitySettingsView(changed),
        }
      },
    },
  ),
}
