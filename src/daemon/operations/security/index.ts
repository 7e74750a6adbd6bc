import { BAN_OPERATIONS } from './bans.js'
import { SECURITY_SETTINGS_OPERATIONS } from './settings.js'

/** Bans of client addresses, and their settings (docs/access.md). */
export const SECURITY_OPERATIONS = {
  ...BAN_OPERATIONS,
  ...SECURITY_SETTINGS_OPERATIONS,
}
