import { screenOf } from '../screen/screen-of.js'
import { diagnostics } from './diagnostics.js'
import { freeze } from './freeze.js'
import { health } from './health.js'
import { holidays } from './holidays.js'
import { hours } from './hours.js'
import { overview } from './overview.js'
import { risk } from './risk.js'

/** The service itself: its state and modes, probes, health, freeze quantities, calendar and risk rules. */
export const system = screenOf({
  id: 'system',
  title: 'System',
  views: [overview, diagnostics, health, freeze, holidays, hours, risk],
})
