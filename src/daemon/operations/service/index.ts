import { DOCS_OPERATIONS } from './docs.js'
import { PROBE_OPERATIONS } from './probes.js'
import { STATUS_OPERATIONS } from './status.js'

/** The service itself: its version and probes, its API reference and its state. */
export const SERVICE_OPERATIONS = {
  ...PROBE_OPERATIONS,
  ...DOCS_OPERATIONS,
  ...STATUS_OPERATIONS,
}
