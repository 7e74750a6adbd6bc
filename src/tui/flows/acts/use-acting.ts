import { useRef, useState } from 'react'
import type { QuestionText } from '../../components/Question.js'
import { type Account, goesToSame } from '../../live/account.js'
import type { Change } from '../../live/changes/changes.js'
import { READ_LIMIT_MS } from '../../live/daemon-access.js'
import type { Desk } from '../../live/desk.js'
import { messageOf } from '../../live/message-of.js'
import { useDesk } from '../../live/use-desk.js'
import { FlowFeed, type FlowRow } from '../feed.js'
import { OpenFlowFeed, type Run } from '../open-flow.js'
import { activateChange, cancelChange, deactivateChange, runChange } from './changes.js'
import {
  activateQuestion,
  cancelQuestion,
  deactivateQuestion,
  runQuestion,
  workflowNow,
} from './questions.js'

/** A question, and the change that it is about. */
interface Asked {
  question: QuestionText
  /** Undefined while the daemon is asked for the facts of the question. */
  change?: Change
  /** Returns why the question no longer holds; undefined if it does. */
  isOutdated?(): Promise<string | undefined>
}

export interface Acting {
  question: QuestionText | undefined
  run(row: FlowRow | undefined): Promise<void>
  toggle(row: FlowRow | undefined): Promise<void>
  cancelRun(row: FlowRow | undefined, run: Run | undefined): void
  /** Sends what the question asks for. */
  confirm(): Promise<void>
  leave(): void
}

/** Leads from a key to a change: the question first, then the request. */
export function useActing(): Acting {
  const desk = useDesk()
  const [question, setQuestion] = useState<QuestionText>()
  // Two presses may arrive before the next drawing; the second one finds no question.
  const current = useRef<Asked>(undefined)
  const show = (next: Asked | undefined) => {
    current.current = next
    setQuestion(next?.question)
  }
  const ask = async (next: () => Promise<Asked>) => {
    const reading: Asked = { question: READING }
    desk.changes.say('')
    show(reading)
    try {
      const found = await next()
      // The user may have left it meanwhile.
      if (current.current === reading) show(found)
    } catch (thrown) {
      if (current.current !== reading) return
      show(undefined)
      desk.changes.say(`Not sent: ${messageOf(thrown)}`)
    }
  }
  return {
    question,
    async run(row) {
      if (row === undefined) return
      if (row.last_execution_status === 'running') desk.changes.say(`Workflow ${row.id} runs already.`)
      else await ask(() => runReview(desk, row))
    },
    async toggle(row) {
      if (row === undefined) return
      await ask(async () => (row.is_active ? deactivation(row) : activation(desk, row)))
    },
    cancelRun(row, run) {
      if (row === undefined || run === undefined) return
      if (run.status !== 'running') return desk.changes.say(`Run ${run.id} has ended.`)
      desk.changes.say('')
      show({ question: cancelQuestion(row, run), change: cancelChange(run) })
    },
    async confirm() {
      const asked = current.current
      const change = asked?.change
      if (asked === undefined || change === undefined) return
      show(undefined)
      try {
        const reason = await asked.isOutdated?.()
        if (reason === undefined) desk.changes.start({ ...change, onAnswer: () => refresh(desk) })
        else desk.changes.say(`Not sent: ${reason}`)
      } catch (thrown) {
        desk.changes.say(`Not sent: ${messageOf(thrown)}`)
      }
    },
    leave: () => show(undefined),
  }
}

const READING: QuestionText = { title: 'Asking the daemon …', lines: [] }

async function runReview(desk: Desk, { id }: FlowRow): Promise<Asked> {
  const [account, workflow] = await Promise.all([
    desk.accountNow(),
    workflowNow(desk.access.client(READ_LIMIT_MS), id),
  ])
  return {
    question: await runQuestion(workflow, account),
    change: runChange(desk, workflow),
    async isOutdated() {
      const now = await workflowNow(desk.access.client(READ_LIMIT_MS), id)
      if (now.version !== workflow.version) return 'the workflow has changed. Look at it, then try again.'
      return movedText(desk, account)
    },
  }
}

async function activation(desk: Desk, row: FlowRow): Promise<Asked> {
  const account = await desk.accountNow()
  return {
    ...{ question: activateQuestion(row, account), change: activateChange(row) },
    isOutdated: () => movedText(desk, account),
  }
}

function deactivation(row: FlowRow): Asked {
  return { question: deactivateQuestion(row), change: deactivateChange(row) }
}

/** Orders go nowhere but to the place that the question named. */
async function movedText(desk: Desk, named: Account): Promise<string | undefined> {
  if (goesToSame(await desk.accountNow(), named)) return undefined
  return 'the mode or the broker has changed. Look at the header, then try again.'
}

function refresh(desk: Desk): void {
  void desk.part(FlowFeed).refresh()
  void desk.part(OpenFlowFeed).refresh()
}
