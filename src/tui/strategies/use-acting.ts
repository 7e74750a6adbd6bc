import { useRef, useState } from 'react'
import type { Account } from '../live/account.js'
import { startReviewed } from '../live/changes/reviewed.js'
import { Kept, useKept } from '../live/kept.js'
import { messageOf } from '../live/message-of.js'
import { useDesk } from '../live/use-desk.js'
import { type Details, StrategyFeed, type StrategyRow } from './feed.js'
import type { ShownLeg } from './legs.js'
import type { Home, Pane, QuestionPane } from './pane.js'
import {
  closeAllQuestion,
  closeLegQuestion,
  killQuestion,
  type Place,
  type Question,
  startQuestion,
  stopQuestion,
  unlockQuestion,
} from './questions.js'

interface Chosen {
  row: StrategyRow | undefined
  details: Details | undefined
  leg: ShownLeg | undefined
}

/** Leads from a key to a change: the question first, then the request. */
export function useActing({ row, details, leg }: Chosen) {
  const desk = useDesk()
  const { changes } = desk
  const [home, setHome] = useKept(HOME)
  const [pane, draw] = useState<Pane>(home)
  // Two presses may arrive before the next drawing; the second one finds no question.
  const current = useRef<Pane>(pane)
  const setPane = (next: Pane) => {
    current.current = next
    draw(next)
  }
  const legs = details?.legs ?? []
  const isRunning = row !== undefined && row.current_run_id !== null

  const show = (kind: Home['kind']) => {
    setHome({ kind })
    setPane({ kind })
  }
  const ask = (question: Question) => {
    changes.say('')
    setPane({ kind: 'question', question })
  }
  /** Asks with the place that orders go to now. The user may leave the question before it is there. */
  const askReviewed = async (question: (account: Account) => Question) => {
    const reading: Pane = { kind: 'reading' }
    changes.say('')
    setPane(reading)
    try {
      const account = await desk.accountNow()
      if (current.current === reading) setPane({ kind: 'question', question: question(account), account })
    } catch (thrown) {
      if (current.current !== reading) return
      setPane(home)
      changes.say(`Not sent: ${messageOf(thrown)}`)
    }
  }
  const whileRunning = async (question: (target: StrategyRow, place: Place) => Question) => {
    if (row === undefined) return
    if (!isRunning) return changes.say(`${row.id} does not run.`)
    const mode = details?.run?.id === row.current_run_id ? details.run.mode : row.mode
    await askReviewed((account) => question(row, { mode, account }))
  }

  return {
    pane,
    show,
    cancel: () => setPane(home),
    start() {
      if (row === undefined) return
      if (row.strategy_kind === 'signal')
        changes.say('A signal strategy has no start: its first entry signal opens the run.')
      else if (isRunning) changes.say(`${row.id} runs already.`)
      else if (details === undefined) changes.say('The legs are not read yet.')
      else {
        changes.say('')
        setPane({ kind: 'mode', row })
      }
    },
    /** Asks for the start in a mode, with the place that its orders go to now. */
    async choose(target: StrategyRow, mode: 'sandbox' | 'live') {
      if (mode === 'live' && !target.live_enabled) {
        return changes.say(`Live runs are not enabled: svc strategy live ${target.id} on`)
      }
      await askReviewed((account) => startQuestion(target, mode, account, legs))
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
      if (row.webhook_locked) ask(unlockQuestion(row))
      else if (isRunning) changes.say('The lock stops the run too: press K.')
      else ask(killQuestion(row, legs, false))
    },
    kill() {
      if (row !== undefined) ask(killQuestion(row, legs, isRunning))
    },
    /** Sends what the question asks for. */
    confirm(asked: QuestionPane) {
      if (current.current !== asked) return
      const { question, account } = asked
      setPane(home)
      const change = { ...question.change, onAnswer: () => void desk.part(StrategyFeed).refresh() }
      if (account === undefined) changes.start(change)
      else void startReviewed(desk, account, change)
    },
  }
}

/** The list or the details: the user finds it again after another screen. */
const HOME = new Kept<Home>({ kind: 'list' })

export type Acting = ReturnType<typeof useActing>
