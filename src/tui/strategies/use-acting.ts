import { useState } from 'react'
import { isPastExit } from '../../core/strategies/config/exit.js'
import type { Change } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { ChangeQuestion } from '../question/use-question.js'
import type { Shown } from '../screen/record.js'
import { type Details, StrategyFeed, type StrategyRow } from './feed.js'
import type { ShownLeg } from './legs.js'
import {
  closeAllQuestion,
  closeLegQuestion,
  killQuestion,
  type Place,
  pastExitText,
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
export function useActing(
  { daemon, dialogs }: Pick<Shown, 'daemon' | 'dialogs'>,
  { row, details, leg }: Chosen,
) {
  const { changes } = daemon
  const [starting, setStarting] = useState<StrategyRow>()
  const isRunning = row !== undefined && row.current_run_id !== null
  // After a move of the cursor the details are those of the last visit, perhaps of an earlier run.
  const current = isRunning && details?.run?.id === row.current_run_id ? details : undefined

  const whileRunning = async (questionOf: (target: StrategyRow, place: Place) => ChangeQuestion) => {
    if (row === undefined) return
    if (!isRunning) return changes.say(`${row.id} does not run.`)
    const mode = current?.run?.mode ?? row.mode
    await dialogs.askForOrders(async (_, account) => questionOf(row, { mode, account }))
  }

  return {
    /** The strategy whose start needs a mode. */
    starting,
    leaveStart: () => setStarting(undefined),
    start() {
      if (row === undefined) return
      if (row.strategy_kind === 'signal')
        changes.say('A signal strategy has no start: its first entry signal opens the run.')
      else if (isRunning) changes.say(`${row.id} runs already.`)
      else if (details !== undefined && isPastExit(details.strategy, Date.now()))
        changes.say(pastExitText(details.strategy))
      else {
        changes.say('')
        setStarting(row)
      }
    },
    /** Asks for the start in a mode: the strategy, and the place that its orders go to, as they are now. */
    async choose(target: StrategyRow, mode: 'sandbox' | 'live') {
      if (mode === 'live' && !target.live_enabled) {
        return changes.say(`Live runs are not enabled: svc strategy live ${target.id} on`)
      }
      setStarting(undefined)
      await dialogs.askForOrders(async (client, account) => {
        const params = { id: String(target.id) }
        const { data } = await client.request('GET /strategy/api/strategies/:id', { params })
        return startQuestion(data, { account, mode, now: Date.now() })
      })
    },
    stop: () => void whileRunning((target, place) => stopQuestion(target, place, current?.legs)),
    closeAll: () => void whileRunning((target, place) => closeAllQuestion(target, place, current?.legs)),
    closeLeg() {
      if (leg === undefined) return
      if (isRunning && current === undefined) changes.say('The legs are not read yet.')
      else if (leg.status === 'open')
        void whileRunning((target, place) => closeLegQuestion(target, place, leg))
      else changes.say(`Leg ${leg.id} is not open.`)
    },
    lock() {
      if (row === undefined) return
      if (row.webhook_locked) dialogs.ask(unlockQuestion(row))
      else if (isRunning) changes.say('The lock stops the run too: press K.')
      else dialogs.ask(killQuestion(row, [], false))
    },
    kill() {
      if (row !== undefined) dialogs.ask(killQuestion(row, isRunning ? current?.legs : [], isRunning))
    },
  }
}

export type Acting = ReturnType<typeof useActing>

/** Returns a change after whose answer the strategies are read again. */
export function readAfter(change: Change, daemon: LiveDaemon): Change {
  return { ...change, onAnswer: () => void daemon.part(StrategyFeed).refresh() }
}
