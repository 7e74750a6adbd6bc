import { ERROR_OPERATIONS } from './errors.js'
import { SYSTEM_OPERATIONS } from './system.js'

/** The errors of the service, the state of the installation, and probes of its connections. */
export const DIAGNOSTIC_OPERATIONS = {
  ...ERROR_OPERATIONS,
  ...SYSTEM_OPERATIONS,
}
