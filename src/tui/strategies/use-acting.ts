import { useState } from 'react'
import { entryAhead, isPastExit } from '../../core/strategies/config/exit.js'
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
  const legs = details?.legs ?? []
  const isRunning = row !== undefined && row.current_run_id !== null

  const whileRunning = async (questionOf: (target: StrategyRow, place: Place) => ChangeQuestion) => {
    if (row === undefined) return
    if (!isRunning) return changes.say(`${row.id} does not run.`)
    const mode = details?.run?.id === row.current_run_id ? details.run.mode : row.mode
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
      else if (details === undefined) changes.say('The legs are not read yet.')
      else if (isPastExit(details.strategy, Date.now())) changes.say(pastExitText(details))
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
      const early = details === undefined ? undefined : entryAhead(details.strategy, Date.now())
      await dialogs.askForOrders(async (_, account) => startQuestion(target, mode, { account, legs, early }))
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
      if (row.webhook_locked) dialogs.ask(unlockQuestion(row))
      else if (isRunning) changes.say('The lock stops the run too: press K.')
      else dialogs.ask(killQuestion(row, legs, false))
    },
    kill() {
      if (row !== undefined) dialogs.ask(killQuestion(row, legs, isRunning))
    },
  }
}

/** The daemon would refuse the start, after all questions. */
function pastExitText({ strategy: { id, name, exit_time } }: Details): string {
  return `${id} ${name} is past its exit time, ${exit_time}: it starts again tomorrow.`
}

export type Acting = ReturnType<typeof useActing>

/** Returns a change after whose answer the strategies are read again. */
export function readAfter(change: Change, daemon: LiveDaemon): Change {
  return { ...change, onAnswer: () => void daemon.part(StrategyFeed).refresh() }
}
