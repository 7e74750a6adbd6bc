import { LIMITS } from '../../src/core/flows/graph/graph.js'
import { EXPIRATION_NAMES } from '../../src/core/flows/triggers/price/alert-settings.js'
import { POLL_MS } from '../../src/core/flows/triggers/price/price-monitor.js'
import { MISFIRE_GRACE_MS } from '../../src/core/flows/triggers/schedule/schedule-settings.js'
import { table } from './table.js'

const seconds = (ms: number): string => `${ms / 1000} s`

/** What a workflow, a run and a trigger may be at the most. */
export function flowLimits(): string {
  return table(
    ['What', 'Limit', 'Beyond it'],
    [
      ['Nodes and edges of a workflow', `${LIMITS.nodes} and ${LIMITS.edges}`, 'not stored'],
      ['Characters of a name', String(LIMITS.nameLength), 'not stored'],
      ['Depth of a run, the trigger being 0', String(LIMITS.depth), 'the run fails'],
      ['Visits of nodes in a run', String(LIMITS.visits), 'the run fails'],
      ['Runs of one workflow at a time', '1', 'refused (409); a schedule notes a missed run'],
      ['`delay`', `${LIMITS.delaySeconds} s`, 'waits that long, with a warning'],
      ['`httpRequest`: time', seconds(LIMITS.httpTimeoutMs), 'cut to it'],
      ['`httpRequest`: answer', `${LIMITS.httpResponseBytes / 1_048_576} MiB`, 'the node fails'],
      ['Log of a run', `${LIMITS.logEntries} lines of ${LIMITS.logMessageBytes} bytes`, 'cut off'],
      ['A schedule that is late', seconds(MISFIRE_GRACE_MS), 'missed: see `missedRuns`'],
      ['Prices of alerts', `looked at every ${seconds(POLL_MS)}`, '-'],
      ['Life of a price alert', EXPIRATION_NAMES.join(', '), 'deactivated'],
    ],
  )
}
