import { useRef, useState } from 'react'
import { type Account, ordersAlike } from '../live/account.js'
import { READ_LIMIT_MS } from '../live/daemon-access.js'
import type { Desk } from '../live/desk.js'
import { messageOf } from '../live/message-of.js'
import { useDesk } from '../live/use-desk.js'
import { Doubts } from './doubts.js'
import type { ReadReview, Review } from './review.js'

/** The state of a review: its facts are read, or the user is asked. */
export type ReviewState =
  | { kind: 'reading'; name: string }
  | { kind: 'asked'; review: Review; account: Account }

export interface Reviewing {
  /** Undefined when nothing is under review. */
  state: ReviewState | undefined
  /** Reads a review and shows it. `onRefused` hears why there is none; by default the message line does. */
  ask(name: string, read: ReadReview, onRefused?: (reason: string) => void): Promise<void>
  /** Sends the change, once. @returns whether it is sent */
  confirm(): Promise<boolean>
  cancel(): void
}

/** Leads from a key to a change that may reach the broker: the review first, then one request. */
export function useReview(): Reviewing {
  const desk = useDesk()
  const { changes } = desk
  const [state, setState] = useState<ReviewState>()
  // Two presses may arrive before the next drawing; the second one finds no review.
  const current = useRef<ReviewState>(undefined)
  const show = (next: ReviewState | undefined) => {
    current.current = next
    setState(next)
  }

  return {
    state,
    async ask(name, read, onRefused = (reason) => changes.say(reason)) {
      changes.say('')
      const reading: ReviewState = { kind: 'reading', name }
      show(reading)
      const found = await desk
        .accountNow()
        .then(async (account) => ({ account, ...(await read(desk.access.client(READ_LIMIT_MS), account)) }))
        .catch((thrown: unknown) => ({ refusal: messageOf(thrown) }))
      // The user may have left it meanwhile.
      if (current.current !== reading) return
      if ('refusal' in found) {
        show(undefined)
        onRefused(`Not sent: ${found.refusal}`)
        return
      }
      const { account, ...review } = found
      show({ kind: 'asked', review, account })
    },
    async confirm() {
      const asked = current.current
      if (asked?.kind !== 'asked') return false
      const checking: ReviewState = { kind: 'reading', name: asked.review.change.name }
      show(checking)
      const reason = await reasonNotToSend(desk, asked.account)
      if (current.current !== checking) return false
      if (reason !== undefined) {
        show(undefined)
        changes.say(`Not sent: ${reason}`)
        return false
      }
      const isSent = changes.start(desk.part(Doubts).watched(asked.review.change))
      // The review stays while another change waits for its answer: nothing looks sent that is not.
      show(isSent || changes.unanswered().length === 0 ? undefined : asked)
      return isSent
    },
    cancel: () => show(undefined),
  }
}

/** The user confirmed a change for one mode and one broker, and for no other. */
async function reasonNotToSend(desk: Desk, confirmed: Account): Promise<string | undefined> {
  try {
    const isSame = ordersAlike(await desk.accountNow(), confirmed)
    return isSame ? undefined : 'the mode or the broker has changed. Look at the header, then try again.'
  } catch (thrown) {
    return messageOf(thrown)
  }
}
