import { useState } from 'react'
import { goesToSame } from '../live/account.js'
import type { StrategyActs } from './acts.js'
import type { Details, StrategyFeed, StrategyRow } from './feed.js'
import type { ShownLeg } from './legs.js'
import type { Pane, QuestionPane } from './pane.js'
import {
  closeAllQuestion,
  closeLegQuestion,
  killQuestion,
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
export function useActing(feed: StrategyFeed, acts: StrategyActs, { row, details, leg }: Chosen) {
  const [pane, setPane] = useState<Pane>({ kind: 'list' })
  const [home, setHome] = useState<Pane>({ kind: 'list' })
  const legs = details?.legs ?? []
  const isRunning = row !== undefined && row.current_run_id !== null

  const show = (next: 'list' | 'details') => {
    setHome({ kind: next })
    setPane({ kind: next })
  }
  const ask = (question: Question) => {
    acts.say('')
    setPane({ kind: 'question', question })
  }
  const whileRunning = (question: (target: StrategyRow) => Question) => {
    if (row === undefined) return
    if (isRunning) ask(question(row))
    else acts.say(`${row.id} does not run.`)
  }
  const refused = (thrown: unknown) =>
    acts.say(`Not sent: ${thrown instanceof Error ? thrown.message : String(thrown)}`)

  return {
    pane,
    show,
    cancel: () => setPane(home),
    start() {
      if (row === undefined) return
      if (row.strategy_kind === 'signal')
        acts.say('A signal strategy has no start: its first entry signal opens the run.')
      else if (isRunning) acts.say(`${row.id} runs already.`)
      else if (details === undefined) acts.say('The legs are not read yet.')
      else {
        acts.say('')
        setPane({ kind: 'mode', row })
      }
    },
    /** Asks for the start in a mode, with the place that its orders go to now. */
    async choose(target: StrategyRow, mode: 'sandbox' | 'live') {
      if (mode === 'live' && !target.live_enabled) {
        return acts.say(`Live runs are not enabled: svc strategy live ${target.id} on`)
      }
      try {
        const account = await feed.accountNow()
        setPane({ kind: 'question', question: startQuestion(target, mode, account, legs), account })
      } catch (thrown) {
        setPane(home)
        refused(thrown)
      }
    },
    stop: () => whileRunning((target) => stopQuestion(target, legs)),
    closeAll: () => whileRunning((target) => closeAllQuestion(target, legs)),
    closeLeg() {
      if (leg === undefined) return
      if (leg.status === 'open') whileRunning((target) => closeLegQuestion(target, leg))
      else acts.say(`Leg ${leg.id} is not open.`)
    },
    lock() {
      if (row === undefined) return
      if (row.webhook_locked) ask(unlockQuestion(row))
      else if (isRunning) acts.say('The lock stops the run too: press K.')
      else ask(killQuestion(row, legs, false))
    },
    kill() {
      if (row !== undefined) ask(killQuestion(row, legs, isRunning))
    },
    /** Sends what the question asks for. */
    async confirm({ question, account }: QuestionPane) {
      setPane(home)
      try {
        if (account !== undefined && !goesToSame(await feed.accountNow(), account)) {
          return acts.say('Not sent: the mode or the broker has changed. Look at the header, then try again.')
        }
        acts.start(question.act)
      } catch (thrown) {
        refused(thrown)
      }
    },
  }
}

export type Acting = ReturnType<typeof useActing>
