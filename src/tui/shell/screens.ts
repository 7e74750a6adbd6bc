import { SCREEN_IDS } from '../../views/screens.js'
import { approvals } from '../approvals/screen.js'
import { cockpit } from '../cockpit/screen.js'
import { flows } from '../flows/screen.js'
import { logs } from '../logs/screen.js'
import { market } from '../market/screen.js'
import { orders } from '../orders/screen.js'
import { positions } from '../positions/screen.js'
import type { Screen } from '../screen/screen.js'
import { security } from '../security/screen.js'
import { strategies } from '../strategies/screen.js'
import { system } from '../system/screen.js'

/** Every screen, in the order of the number keys: the one list for keys, tabs, jumps and help. */
export const SCREENS: readonly Screen[] = [
  approvals,
  cockpit,
  flows,
  logs,
  market,
  orders,
  positions,
  security,
  strategies,
  system,
].toSorted((one, other) => SCREEN_IDS.indexOf(one.id) - SCREEN_IDS.indexOf(other.id))

/** Returns the number key of a screen. */
export const numberOf = (screen: Screen): string => String(SCREEN_IDS.indexOf(screen.id))
