import { history } from './bars-history.js'
import { indicator } from './bars-indicator.js'
import { barOffset } from './bars-offset.js'
import { priorPeriodOhlc } from './bars-prior.js'
import type { NodeDefinition } from './definition.js'

/** Nodes that read bars (contract, flow sections 2.3 and 2.4). */
export const BAR_NODES: readonly NodeDefinition[] = [history, priorPeriodOhlc, barOffset, indicator]
