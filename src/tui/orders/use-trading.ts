import { randomUUID } from 'node:crypto'
import { useState } from 'react'
import type { FormValues } from '../components/form/Form.js'
import type { Shown } from '../screen/record.js'
import { cancelAllReview, cancelReview, modifyReview, whyNotOpen } from './change-reviews.js'
import { IN_DOUBT, type OrderRow } from './feed.js'
import { changedValues, type Draft, newValues, placeBody } from './form/draft.js'
import { placeReview } from './place-review.js'

export interface Trading {
  /** The order that the user writes; undefined while the form is closed. */
  draft: Draft | undefined
  /** Opens the form of a new order, with a symbol such as `NSE:SBIN` if one is given. */
  place(symbol?: string): void
  modify(order: OrderRow | undefined): void
  cancel(order: OrderRow | undefined): Promise<void>
  cancelAll(): Promise<void>
  /** Reviews what the form has. */
  submit(values: FormValues): Promise<void>
  leaveForm(): void
}

/** Leads from a key to an order: the form, the review, then one request. */
export function useTrading({ daemon, dialogs }: Pick<Shown, 'daemon' | 'dialogs'>): Trading {
  const [draft, setDraft] = useState<Draft>()

  const openForm = (next: Draft) => {
    daemon.changes.say('')
    setDraft(next)
  }
  const open = (order: OrderRow | undefined): OrderRow | undefined => {
    const reason =
      order === undefined ? 'This order is not in the order book of today.' : whyNotChanged(order)
    if (reason !== undefined) daemon.changes.say(reason)
    return reason === undefined ? order : undefined
  }
  const leaveForm = () => setDraft(undefined)

  return {
    draft,
    place: (symbol) => openForm({ key: randomUUID(), values: newValues(symbol), order: undefined }),
    modify(chosen) {
      const order = open(chosen)
      if (order) openForm({ key: randomUUID(), values: changedValues(order), order })
    },
    async cancel(chosen) {
      const order = open(chosen)
      if (order === undefined) return
      const key = randomUUID()
      await dialogs.askForOrders((client, account) => cancelReview(client, account, order, key))
    },
    async cancelAll() {
      const key = randomUUID()
      await dialogs.askForOrders((client, account) => cancelAllReview(client, account, key))
    },
    async submit(values) {
      if (draft === undefined) return
      const { key, order } = draft
      const again = (refusal: string) => setDraft({ ...draft, values, refusal })
      // The form comes back with everything that was typed.
      setDraft({ key, values, order })
      const body = order === undefined ? placeBody(values) : undefined
      await dialogs.askForOrders(async (client, account) => {
        const review = await reviewOf()
        return 'refusal' in review ? review : { ...review, onSent: leaveForm }

        async function reviewOf() {
          if (order !== undefined) return modifyReview(client, account, order, { values, key })
          if (body === undefined) return { refusal: 'a value of the form is not good.' }
          return placeReview(client, account, body, key)
        }
      }, again)
    },
    leaveForm,
  }
}

/** Returns why an order cannot be changed. One in doubt must be settled by a person. */
function whyNotChanged(order: OrderRow): string | undefined {
  if (order.order_status !== IN_DOUBT) return whyNotOpen(order)
  return `In doubt: look at the broker's book, then svc order settle ${order.orderid}`
}
