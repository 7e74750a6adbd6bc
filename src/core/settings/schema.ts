import { z } from 'zod'

const wholeBetween = (least: number, most: number) =>
  z.number().int('Not a valid integer.').min(least, range(least, most)).max(most, range(least, most))

const range = (least: number, most: number) => `Must be between ${least} and ${most}.`

const text = z.string().max(255, 'Longer than maximum length 255.')

/** The settings that may be changed, with their bounds. */
export const settingsPatch = z.strictObject({
  analyzeMode: z.boolean().optional(),
  securityAutoBanEnabled: z.boolean().optional(),
  security404Threshold: wholeBetween(1, 1000).optional(),
  /** Hours; 0 is permanent. */
  security404BanDuration: wholeBetween(0, 8760).optional(),
  securityApiThreshold: wholeBetween(1, 100).optional(),
  /** Hours; 0 is permanent. */
  securityApiBanDuration: wholeBetween(0, 8760).optional(),
  securityRepeatOffenderLimit: wholeBetween(1, 10).optional(),
  smtpServer: text.nullable().optional(),
  smtpPort: wholeBetween(1, 65_535).nullable().optional(),
  smtpUsername: text.nullable().optional(),
  /** Plain text; stored encrypted. */
  smtpPassword: text.nullable().optional(),
  smtpUseTls: z.boolean().optional(),
  smtpFromEmail: text.nullable().optional(),
  smtpHeloHostname: text.nullable().optional(),
  mcpEnabled: z.boolean().optional(),
  mcpPublicUrl: text.optional(),
  mcpRequireApproval: z.boolean().optional(),
  mcpWriteScopeEnabled: z.boolean().optional(),
  mcpQueueWrites: z.boolean().optional(),
})

export type SettingsPatch = z.output<typeof settingsPatch>

/** The current settings. The mail password is not included: see `Settings.smtpPassword`. */
export interface SettingsValues {
  /** false is Live, true is Analyzer. */
  readonly analyzeMode: boolean
  readonly securityAutoBanEnabled: boolean
  readonly security404Threshold: number
  readonly security404BanDuration: number
  readonly securityApiThreshold: number
  readonly securityApiBanDuration: number
  readonly securityRepeatOffenderLimit: number
  readonly smtpServer: string | null
  readonly smtpPort: number | null
  readonly smtpUsername: string | null
  readonly smtpPasswordSet: boolean
  readonly smtpUseTls: boolean
  readonly smtpFromEmail: string | null
  readonly smtpHeloHostname: string | null
  readonly mcpEnabled: boolean
  /** `https://…` without a trailing slash, or empty. */
  readonly mcpPublicUrl: string
  readonly mcpRequireApproval: boolean
  readonly mcpWriteScopeEnabled: boolean
  readonly mcpQueueWrites: boolean
}
