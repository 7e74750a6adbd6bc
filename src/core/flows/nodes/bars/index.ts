import type { NodeDefinition } from '../definition.js'
import { barOffset } from './bar-offset.js'
import { history } from './history.js'
import { indicator } from './indicator.js'
import { priorPeriodOhlc } from './prior-period.js'

/** Nodes that read bars. */
export const BAR_NODES: readonly NodeDefinition[] = [history, priorPeriodOhlc, barOffset, indicator]
