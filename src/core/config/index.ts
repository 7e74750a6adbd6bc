export type { ConfirmLive } from './kinds.js'
export { givenSettings, loadConfig } from './load.js'
export { proxyProblem } from './proxy-problem.js'
export { parseRateLimit, type RateWindow, rateLimitText } from './rate-limit.js'
export { CONFIG_KEYS, type Config } from './schema.js'
export {
  adoptNextKeys,
  dropNextKeys,
  NEXT_KEYS,
  nextKeys,
  prepareNextKeys,
  type SealingKeys,
  sealingKeys,
} from './secrets/sealing-keys.js'
export { secretStrength, secretValues } from './secrets/secret-values.js'
export {
  knownSetting,
  type StoredSetting,
  settingProblem,
  storedSettings,
  storeSetting,
} from './stored-settings.js'
export { TOOLSETS, type Toolset } from './toolsets.js'
