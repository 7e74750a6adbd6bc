import { useRef, useState } from 'react'
import type { SvcClient } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import { type Account, requireSame } from '../live/account.js'
import type { Change } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import { useDaemon } from '../live/use-daemon.js'
import { QuestionAges, type Reading, useGrowingOld } from './age.js'
import { OLD_KEYS, type QuestionText, questionKeys } from './Question.js'

/** A question, and the change that is sent after a yes. */
export interface ChangeQuestion extends QuestionText {
  change: Change
  /** The modes and the broker that the question names: the change is sent to no other. */
  account?: Account
  /** Checks the other facts of the question. @throws Error if they have changed */
  recheck?(): Promise<void>
  /** Called when the change is sent. */
  onSent?(): void
}

/** The reason why there is nothing to ask: the change cannot be made. */
export interface Refusal {
  refusal: string
}

type ReadQuestion = () => Promise<ChangeQuestion | Refusal>
/** Reads a question about orders, which names the place that they go to. */
export type ReadOrderQuestion = (client: SvcClient, account: Account) => Promise<ChangeQuestion | Refusal>

/** The daemon is asked for the facts of a question, or the user is asked. */
export type QuestionState = { kind: 'reading' } | AskedQuestion

interface AskedQuestion {
  kind: 'asked'
  question: ChangeQuestion
  /** Undefined for a question that has no facts but those of the screen. */
  reading: Reading | undefined
  /** True once its facts may be old: they must be read again before it can be confirmed. */
  isOld: boolean
}

/** One question at a time: a new one takes the place of the last. */
export interface Questioning {
  /** Undefined when nothing is asked. */
  state: QuestionState | undefined
  ask(question: ChangeQuestion): void
  /** Asks when the facts are there, unless the user has left meanwhile. `onRefused` hears why nothing is asked; by default the message line does. */
  askWhenRead(read: ReadQuestion, onRefused?: (reason: string) => void): Promise<void>
  /** Asks in the same way for the place that orders go to now. The change is sent to no other place. */
  askForOrders(read: ReadOrderQuestion, onRefused?: (reason: string) => void): Promise<void>
  /** Sends the change, once, unless the facts of the question may be old. The question stays until it is sent: nothing looks sent that is not. @returns whether it is sent */
  confirm(): Promise<boolean>
  leave(): void
}

/** Leads from a question to its change, which `prepared` may extend. */
export function useQuestion(prepared: (change: Change) => Change = (change) => change): Questioning {
  const daemon = useDaemon()
  const { changes } = daemon
  const ages = daemon.part(QuestionAges)
  const { shown: state, now, show } = useCurrent<QuestionState | undefined>(undefined)
  const asked = state?.kind === 'asked' ? state : undefined
  useGrowingOld(asked?.isOld === false ? asked.reading?.at : undefined, () => {
    if (asked !== undefined && now() === asked) show({ ...asked, isOld: true })
  })
  const say = (reason: string) => changes.say(reason)
  const askWhenRead: Questioning['askWhenRead'] = async (read, onRefused = say) => {
    const reading: QuestionState = { kind: 'reading' }
    const at = ages.now()
    changes.say('')
    show(reading)
    const found = await read().catch((thrown: unknown) => ({ refusal: messageOf(thrown) }))
    // The user may have left it meanwhile.
    if (now() !== reading) return
    const again = () => void askWhenRead(read, onRefused)
    show(
      'refusal' in found
        ? undefined
        : { kind: 'asked', question: found, reading: { at, again }, isOld: false },
    )
    if ('refusal' in found) onRefused(`Not sent: ${found.refusal}`)
  }
  return {
    state,
    askWhenRead,
    ask(question) {
      changes.say('')
      show({ kind: 'asked', question, reading: undefined, isOld: false })
    },
    askForOrders: (read, onRefused) =>
      askWhenRead(async () => {
        const account = await daemon.accountNow()
        return { account, ...(await read(daemon.reader(), account)) }
      }, onRefused),
    async confirm() {
      // The user has confirmed what is drawn. A second press finds it no more.
      if (asked === undefined || now() !== asked) return false
      const { question, reading } = asked
      if (reading !== undefined && ages.isOld(reading.at)) {
        show({ ...asked, isOld: true })
        return false
      }
      const start = () => {
        const isSent = changes.start(prepared(question.change))
        show(isSent ? undefined : asked)
        if (isSent) question.onSent?.()
        return isSent
      }
      if (question.account === undefined && question.recheck === undefined) return start()
      const checking: QuestionState = { kind: 'reading' }
      show(checking)
      return changes.checked(question.change, async (dropped) => {
        const reason = await reasonNotToSend(daemon, question)
        if (now() !== checking) return false
        const refusal = dropped() ?? (reason === undefined ? undefined : `Not sent: ${reason}`)
        if (refusal === undefined) return start()
        show(undefined)
        changes.refuse(refusal)
        return false
      })
    },
    leave: () => show(undefined),
  }
}

/** Returns why a question does not hold any more; undefined if it does. */
async function reasonNotToSend(
  daemon: LiveDaemon,
  { account, recheck }: ChangeQuestion,
): Promise<string | undefined> {
  try {
    await recheck?.()
    if (account !== undefined) await requireSame(daemon.accountNow(), account)
    return undefined
  } catch (thrown) {
    return messageOf(thrown)
  }
}

/** A state that is drawn, and known at once. */
export interface Current<State> {
  /** The state of this drawing. */
  shown: State
  /** Returns the state as it is now: two presses may arrive before the next drawing, and answers come at any time. */
  now(): State
  show(next: State): void
}

export function useCurrent<State>(first: State): Current<State> {
  const [shown, draw] = useState<State>(first)
  const current = useRef<State>(shown)
  return {
    shown,
    now: () => current.current,
    show(next) {
      current.current = next
      draw(next)
    },
  }
}

/** Returns the keys of a question, in place of those of the screen. */
export function questionStateKeys(state: QuestionState): readonly KeyHelp[] {
  if (state.kind === 'reading') return READING_KEYS
  return state.isOld ? OLD_KEYS : questionKeys(state.question)
}

const READING_KEYS: readonly KeyHelp[] = [{ keys: 'esc', does: 'cancel' }]
