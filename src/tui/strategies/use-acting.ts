import { useState } from 'react'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon } from '../live/use-daemon.js'
import { type ChangeQuestion, type QuestionState, useQuestion } from '../question/use-question.js'
import { type Details, StrategyFeed, type StrategyRow } from './feed.js'
import type { ShownLeg } from './legs.js'
import {
  closeAllQuestion,
  closeLegQuestion,
  killQuestion,
  type Place,
  startQuestion,
  stopQuestion,
  unlockQuestion,
} from './questions.js'

export const TABS = ['legs', 'events', 'runs'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that receives the keys. */
export type Pane = Home | ModePane | QuestionState

/** The list, or the details of the chosen strategy. */
export interface Home {
  kind: 'list' | 'details'
}

/** The choice of the mode of a run. */
export interface ModePane {
  kind: 'mode'
  row: StrategyRow
}

interface Chosen {
  row: StrategyRow | undefined
  details: Details | undefined
  leg: ShownLeg | undefined
}

/** Leads from a key to a change: the question first, then the request. */
export function useActing({ row, details, leg }: Chosen) {
  const daemon = useDaemon()
  const { changes } = daemon
  const [home, setHome] = useKept(HOME)
  const [starting, setStarting] = useState<StrategyRow>()
  const question = useQuestion((change) => ({
    ...change,
    onAnswer: () => void daemon.part(StrategyFeed).refresh(),
  }))
  const choice: Pane | undefined = starting && { kind: 'mode', row: starting }
  const legs = details?.legs ?? []
  const isRunning = row !== undefined && row.current_run_id !== null

  const cancel = () => {
    setStarting(undefined)
    question.leave()
  }
  const whileRunning = async (questionOf: (target: StrategyRow, place: Place) => ChangeQuestion) => {
    if (row === undefined) return
    if (!isRunning) return changes.say(`${row.id} does not run.`)
    const mode = details?.run?.id === row.current_run_id ? details.run.mode : row.mode
    await question.askForOrders(async (_, account) => questionOf(row, { mode, account }))
  }

  return {
    pane: question.state ?? choice ?? home,
    /** The question that covers the screen; undefined when nothing is asked. */
    asked: question.state,
    cancel,
    show(kind: Home['kind']) {
      setHome({ kind })
      cancel()
    },
    start() {
      if (row === undefined) return
      if (row.strategy_kind === 'signal')
        changes.say('A signal strategy has no start: its first entry signal opens the run.')
      else if (isRunning) changes.say(`${row.id} runs already.`)
      else if (details === undefined) changes.say('The legs are not read yet.')
      else {
        changes.say('')
        setStarting(row)
      }
    },
    /** Asks for the start in a mode, with the place that its orders go to now. */
    async choose(target: StrategyRow, mode: 'sandbox' | 'live') {
      if (mode === 'live' && !target.live_enabled) {
        return changes.say(`Live runs are not enabled: svc strategy live ${target.id} on`)
      }
      setStarting(undefined)
      await question.askForOrders(async (_, account) => startQuestion(target, mode, account, legs))
    },
    stop: () => void whileRunning((target, place) => stopQuestion(target, place, legs)),
    closeAll: () => void whileRunning((target, place) => closeAllQuestion(target, place, legs)),
    closeLeg() {
      if (leg === undefined) return
      if (leg.status === 'open') void whileRunning((target, place) => closeLegQuestion(target, place, leg))
      else changes.say(`Leg ${leg.id} is not open.`)
    },
    lock() {
      if (row === undefined) return
      if (row.webhook_locked) question.ask(unlockQuestion(row))
      else if (isRunning) changes.say('The lock stops the run too: press K.')
      else question.ask(killQuestion(row, legs, false))
    },
    kill() {
      if (row !== undefined) question.ask(killQuestion(row, legs, isRunning))
    },
    confirm: question.confirm,
  }
}

/** The list or the details: the user finds it again after another screen. */
const HOME = new Kept<Home>({ kind: 'list' })

export type Acting = ReturnType<typeof useActing>
