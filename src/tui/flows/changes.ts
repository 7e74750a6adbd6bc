import { type SvcClient, SvcError } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { badResult, type Change, type ChangeResult, textOf } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { FlowRow } from './feed.js'
import type { Run } from './open-flow.js'

/** The daemon limits the duration of a run. */
const LONGEST_RUN_MS = 3_600_000
/** Other changes wait no longer for the begin of a run: its event may be lost. */
const BEGIN_LIMIT_MS = 5000

type Target = Pick<FlowRow, 'id'>

const to = ({ id }: Target) => ({ params: { id: String(id) } })

/** Runs a workflow now. The change ends when the run has begun, so that others may follow; its end is said later. */
export function runChange(daemon: LiveDaemon, row: Target): Change {
  const name = `Run of workflow ${row.id}`
  return {
    name,
    check: `svc flow executions ${row.id}`,
    async send() {
      const begun = beginOf(daemon, row)
      const ended = resultOf(daemon.access.client(LONGEST_RUN_MS), row)
      const first = await Promise.race([begun.text, ended]).finally(begun.stop)
      if (!first.isEnd) {
        ended.then(
          ({ result }) => daemon.changes.say(`${name}: ${textOf(result)}`),
          (thrown) => daemon.changes.say(`${name}: ${messageOf(thrown)} See: svc flow executions ${row.id}`),
        )
      }
      return first.result
    },
  }
}

interface Progress {
  isEnd: boolean
  result: ChangeResult
}

/** Waits for the event of a run by hand, for some time. */
function beginOf(daemon: LiveDaemon, { id }: Target): { text: Promise<Progress>; stop(): void } {
  let stop: () => void = () => undefined
  const text = new Promise<Progress>((resolve) => {
    const late = () =>
      resolve({ isEnd: false, result: badResult(`no answer yet. See: svc flow executions ${id}`) })
    const timer = setTimeout(late, BEGIN_LIMIT_MS)
    const off = daemon.connection.onEvent(({ event, data }) => {
      if (event !== 'flow_execution' || data.workflow_id !== id) return
      if (data.status !== 'running' || data.trigger !== 'manual') return
      resolve({ isEnd: false, result: `run ${data.execution_id} has begun.` })
    })
    stop = () => {
      clearTimeout(timer)
      off()
    }
  })
  return { text, stop: () => stop() }
}

/** Runs a workflow and waits for its end. @throws when it did not begin, or there is no answer */
async function resultOf(client: SvcClient, row: Target): Promise<Progress> {
  try {
    const { execution_id: run } = await client.request('POST /flow/api/workflows/:id/execute', to(row))
    return { isEnd: true, result: `run ${run} is completed.` }
  } catch (thrown) {
    if (!(thrown instanceof SvcError) || typeof thrown.body.execution_id !== 'number') throw thrown
    return { isEnd: true, result: badResult(`run ${thrown.body.execution_id} has failed: ${thrown.message}`) }
  }
}

/** Activates the version of a workflow that was seen. The daemon refuses any other. */
export function activateChange(row: Pick<FlowRow, 'id' | 'trigger' | 'version' | 'webhook_enabled'>): Change {
  return {
    name: `Activation of workflow ${row.id}`,
    check: `svc flow show ${row.id}`,
    async send(client) {
      const query = { expect: row.version }
      const answer = await client.request('POST /flow/api/workflows/:id/activate', { ...to(row), query })
      const isDeaf = row.trigger === 'webhook' && !row.webhook_enabled
      const done = isDeaf ? `active, webhook off: svc flow webhook enable ${row.id}` : `${answer.message}.`
      const warnings = 'warnings' in answer ? (answer.warnings ?? []) : []
      return [done, ...warnings.map(({ message }) => `Warning: ${message}`)].join(' ')
    },
  }
}

export function deactivateChange(row: Target): Change {
  return {
    name: `Deactivation of workflow ${row.id}`,
    check: `svc flow show ${row.id}`,
    async send(client) {
      const answer = await client.request('POST /flow/api/workflows/:id/deactivate', to(row))
      const run = answer.running_execution_id
      return run === undefined ? `${answer.message}.` : `${answer.message}. Run ${run} goes on to its end.`
    },
  }
}

export function cancelChange(run: Run): Change {
  return {
    name: `Cancellation of run ${run.id}`,
    check: `svc flow executions ${run.workflow_id}`,
    async send(client) {
      const { message } = await client.request('POST /flow/api/executions/:id/cancel', to(run))
      return `${message}.`
    },
  }
}
