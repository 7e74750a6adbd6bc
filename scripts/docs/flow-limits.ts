import { LIMITS } from '../../src/core/flows/graph/graph.js'
import { MAX_SERIES } from '../../src/core/flows/nodes/bars/feed.js'
import { EXPIRATION_NAMES } from '../../src/core/flows/triggers/price/alert-settings.js'
import { POLL_MS } from '../../src/core/flows/triggers/price/price-monitor.js'
import { MISFIRE_GRACE_MS } from '../../src/core/flows/triggers/schedule/schedule-settings.js'
import { MAX_BASKET } from '../../src/core/orders/multi/schema.js'
import { MAX_JSON_MEMBERS, MAX_JSON_VALUES } from '../../src/core/validation/index.js'
import { table } from './table.js'

const seconds = (ms: number): string => `${ms / 1000} s`

/** Returns the limits of workflows, runs and triggers. */
export function flowLimits(): string {
  return table(
    ['What', 'Limit', 'Beyond the limit'],
    [
      ['Nodes and edges of a workflow', `${LIMITS.nodes} and ${LIMITS.edges}`, 'not stored'],
      ['Length of a name', `${LIMITS.nameLength} characters`, 'not stored'],
      ['Configuration of a node', `${LIMITS.nodeLength} characters of JSON`, 'not stored'],
      ['Depth of a run (the trigger has depth 0)', String(LIMITS.depth), 'the run fails'],
      ['Node visits in a run', String(LIMITS.visits), 'the run fails'],
      ['Simultaneous runs of one workflow', '1', 'refused (409); a schedule logs a missed run'],
      ['`delay`', `${LIMITS.delaySeconds} s`, 'waits up to the limit and logs a warning'],
      ['Timeout of `httpRequest`', seconds(LIMITS.httpTimeoutMs), 'the limit applies'],
      ['Response of `httpRequest`', `${LIMITS.httpResponseBytes / 1_048_576} MiB`, 'the node fails'],
      ['Nesting of lists and objects in a value', `${LIMITS.levels} levels`, 'the node fails'],
      ['References in one text', String(LIMITS.references), 'the node fails'],
      ['A text or a value that is filled in', `${LIMITS.valueLength} characters`, 'the node fails'],
      ['An expression that is filled in', `${LIMITS.expressionLength} characters`, 'the node fails'],
      [
        'JSON that a node reads',
        `${MAX_JSON_VALUES} values, ${MAX_JSON_MEMBERS} members of one object`,
        'the node fails',
      ],
      ['Orders of a basket', String(MAX_BASKET), 'the node fails'],
      ['Values of `sourceSeries`', String(MAX_SERIES), 'the node fails'],
      ['Variables of a run together', `${LIMITS.variablesLength} characters`, 'the node fails'],
      ['Secrets of a run', String(LIMITS.secrets), 'the node fails'],
      [
        'Log of a run',
        `${LIMITS.logEntries} lines of ${LIMITS.logMessageBytes} bytes, ${LIMITS.logLength} characters together`,
        'cut off',
      ],
      ['Delay of a scheduled run', seconds(MISFIRE_GRACE_MS), 'the run is missed: see `missedRuns`'],
      ['Delay of the end of a `delay` or `waitUntil`', seconds(LIMITS.lateWaitMs), 'the node fails'],
      ['Price alerts', `checked every ${seconds(POLL_MS)}`, '-'],
      ['Expiration of a price alert', EXPIRATION_NAMES.join(', '), 'the workflow is deactivated'],
    ],
  )
}
