import { type AuditTrail, changesOf } from '../../core/audit/index.js'
import type { ActEnd, Actor } from '../../core/audit/schema.js'
import { messageOf } from '../../core/errors/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { ChatAct, ChatPorts } from '../../core/notifications/index.js'
import type { Clock } from '../../core/time/index.js'
import type { SharedTurn } from '../operations/audit-facts.js'
import type { Foundation } from '../service/foundation.js'
import type { Trading } from '../service/trading.js'
import { changedNothing, failureOf } from './outcome.js'
import type { ActTurns } from './turns.js'
import { killSwitchValues, pendingOrderValues } from './values.js'

interface RecorderParts extends Pick<Foundation, 'mode'>, Pick<Trading, 'approvals' | 'risk'> {
  audit: AuditTrail
  actTurns: ActTurns
  clock: Clock
  log: Logger
}

/** The names of the acts: those of the same acts by the API. */
const NAMES: Readonly<Record<ChatAct['act'], string>> = {
  approve: 'approval.approve',
  reject: 'approval.reject',
  kill_switch: 'kill_switch.set',
  mode: 'mode.set',
  close_positions: 'position.close',
  link: 'message.link',
  unlink: 'message.unlink',
}

/** The acts that change the same values as acts of routes. */
const TURNS: Readonly<Partial<Record<ChatAct['act'], SharedTurn>>> = {
  mode: 'mode',
  link: 'contacts',
  unlink: 'contacts',
}

/**
 * Returns the function that runs an act from a chat and records it. The act is noted before it begins, so a
 * crash in the middle leaves a record. The kill switch never waits for the trail.
 */
export function chatRecorder(parts: RecorderParts): ChatPorts['record'] {
  const { actTurns, audit, clock, log } = parts
  const record: ChatPorts['record'] = async (chatAct, run) => {
    const act = {
      act: NAMES[chatAct.act],
      actor: actorOf(chatAct),
      at: clock.now(),
      target: chatAct.target,
    }
    const before = await chatActValues(parts, chatAct)
    const begun = chatAct.act === 'kill_switch' ? undefined : await audit.begin(act)
    const settle = async (ended: ActEnd) => {
      const values = changedNothing(ended) ? {} : changesOf(before, await chatActValues(parts, chatAct))
      const end = { ...ended, ...values }
      if (begun === undefined) {
        await audit.append(act, end).catch(() => audit.appendLater(act, end))
        return
      }
      // The act took place. The note stays, and the next start adds it.
      await audit.end(begun, end).catch((error: unknown) => {
        log.error('audit.end_not_written', { act: act.act, reason: messageOf(error) })
      })
    }
    try {
      const result = await run()
      await settle(result.isUnknown ? { outcome: 'unknown', code: 'outcome_unknown' } : {})
      return result
    } catch (error) {
      await settle(failureOf(error))
      throw error
    }
  }
  return (chatAct, run) => {
    const turn = TURNS[chatAct.act]
    return turn === undefined ? record(chatAct, run) : actTurns.run(turn, () => record(chatAct, run))
  }
}

function actorOf({ actor: { address, channel, username: name } }: ChatAct): Actor {
  return { name, credential: 'chat', credentialId: `${channel} ${address}`, address: null }
}

function chatActValues({ approvals, mode, risk }: RecorderParts, { act, actor, target }: ChatAct): unknown {
  switch (act) {
    case 'approve':
    case 'reject':
      return pendingOrderValues(approvals, actor.username, Number(target))
    case 'kill_switch':
      return killSwitchValues(risk)
    case 'mode':
      return { mode: mode() }
    case 'close_positions':
    case 'link':
    case 'unlink':
      return undefined
  }
}
