import type { LiveDaemon } from '../live/daemon.js'
import { useDaemon } from '../live/use-daemon.js'
import { type Questioning, type ReadOrderQuestion, useQuestion } from '../question/use-question.js'
import { activateChange, cancelChange, deactivateChange, runChange } from './changes.js'
import { FlowFeed, type FlowRow } from './feed.js'
import { OpenFlowFeed, type Run } from './open-flow.js'
import {
  activateQuestion,
  cancelQuestion,
  deactivateQuestion,
  runQuestion,
  workflowNow,
} from './questions.js'

export interface Acting {
  question: Questioning
  run(row: FlowRow | undefined): Promise<void>
  toggle(row: FlowRow | undefined): Promise<void>
  cancelRun(row: FlowRow | undefined, run: Run | undefined): void
}

/** Leads from a key to a change: the question first, then the request. */
export function useActing(): Acting {
  const daemon = useDaemon()
  const question = useQuestion((change) => ({ ...change, onAnswer: () => refresh(daemon) }))
  return {
    question,
    async run(row) {
      if (row === undefined) return
      if (row.last_execution_status === 'running') daemon.changes.say(`Workflow ${row.id} runs already.`)
      else await question.askForOrders(runReview(daemon, row))
    },
    async toggle(row) {
      if (row === undefined) return
      if (row.is_active) question.ask({ ...deactivateQuestion(row), change: deactivateChange(row) })
      else {
        await question.askForOrders(async (_, account) => ({
          ...activateQuestion(row, account),
          change: activateChange(row),
        }))
      }
    },
    cancelRun(row, run) {
      if (row === undefined || run === undefined) return
      if (run.status !== 'running') daemon.changes.say(`Run ${run.id} has ended.`)
      else question.ask({ ...cancelQuestion(row, run), change: cancelChange(run) })
    },
  }
}

/** Reads the question before a run. The run is that of the workflow that the user has seen. */
function runReview(daemon: LiveDaemon, { id }: FlowRow): ReadOrderQuestion {
  return async (client, account) => {
    const workflow = await workflowNow(client, id)
    return {
      ...(await runQuestion(workflow, account)),
      change: runChange(daemon, workflow),
      async recheck() {
        const { version } = await workflowNow(daemon.reader(), id)
        if (version !== workflow.version)
          throw new Error('the workflow has changed. Look at it, then try again.')
      },
    }
  }
}

function refresh(daemon: LiveDaemon): void {
  void daemon.part(FlowFeed).refresh()
  void daemon.part(OpenFlowFeed).refresh()
}
