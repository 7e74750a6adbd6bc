import { randomUUID } from 'node:crypto'
import { useState } from 'react'
import type { FormValues } from '../components/form/Form.js'
import { useDaemon } from '../live/use-daemon.js'
import { useReview } from '../question/review.js'
import type { Questioning } from '../question/use-question.js'
import { cancelAllReview, cancelReview, modifyReview, whyNotOpen } from './change-reviews.js'
import { IN_DOUBT, type OrderRow } from './feed.js'
import { changedValues, type Draft, newValues, placeBody } from './form/draft.js'
import { placeReview } from './place-review.js'

export const TABS = ['orders', 'trades'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that receives the keys: a list, the details of an order, or the form of one. */
export type Pane = { kind: Tab } | DetailsPane | { kind: 'form'; draft: Draft; from: HomePane }

export interface DetailsPane {
  kind: 'details'
  id: string
  from: Tab
}

/** The panes that a form comes back to. */
export type HomePane = { kind: Tab } | DetailsPane

export interface Trading {
  pane: Pane
  reviewing: Questioning
  show(pane: HomePane): void
  back(): void
  /** Opens the form of a new order, with a symbol such as `NSE:SBIN` if one is given. */
  place(symbol?: string): void
  modify(order: OrderRow | undefined): void
  cancel(order: OrderRow | undefined): Promise<void>
  cancelAll(): Promise<void>
  /** Reviews what the form has. */
  submit(values: FormValues): Promise<void>
  leaveForm(): void
  confirm(): Promise<void>
}

/** Leads from a key to an order: the form, the review, then one request. */
export function useTrading(tab: Tab): Trading {
  const daemon = useDaemon()
  const reviewing = useReview()
  const [over, setOver] = useState<Pane>()
  const pane: Pane = over ?? { kind: tab }
  const home: HomePane = pane.kind === 'form' ? pane.from : pane

  const openForm = (draft: Draft) => {
    daemon.changes.say('')
    setOver({ kind: 'form', draft, from: home })
  }
  const open = (order: OrderRow | undefined): OrderRow | undefined => {
    const reason =
      order === undefined ? 'This order is not in the order book of today.' : whyNotChanged(order)
    if (reason !== undefined) daemon.changes.say(reason)
    return reason === undefined ? order : undefined
  }
  const leaveForm = () => setOver(home)

  return {
    pane,
    reviewing,
    show: (next) => setOver(next.kind === 'details' ? next : undefined),
    back: () => setOver(undefined),
    place: (symbol) => openForm({ key: randomUUID(), values: newValues(symbol), order: undefined }),
    modify(chosen) {
      const order = open(chosen)
      if (order) openForm({ key: randomUUID(), values: changedValues(order), order })
    },
    async cancel(chosen) {
      const order = open(chosen)
      if (order === undefined) return
      const key = randomUUID()
      await reviewing.askForOrders((client, account) => cancelReview(client, account, order, key))
    },
    async cancelAll() {
      const key = randomUUID()
      await reviewing.askForOrders((client, account) => cancelAllReview(client, account, key))
    },
    async submit(values) {
      if (pane.kind !== 'form') return
      const { draft } = pane
      const { key, order } = draft
      const again = (refusal: string) => setOver({ ...pane, draft: { ...draft, values, refusal } })
      // The form comes back with everything that was typed.
      setOver({ ...pane, draft: { key, values, order } })
      const body = order === undefined ? placeBody(values) : undefined
      await reviewing.askForOrders(async (client, account) => {
        if (order !== undefined) return modifyReview(client, account, order, { values, key })
        if (body === undefined) return { refusal: 'a value of the form is not good.' }
        return placeReview(client, account, body, key)
      }, again)
    },
    leaveForm,
    async confirm() {
      if ((await reviewing.confirm()) && pane.kind === 'form') leaveForm()
    },
  }
}

/** Returns why an order cannot be changed. One in doubt must be settled by a person. */
function whyNotChanged(order: OrderRow): string | undefined {
  if (order.order_status !== IN_DOUBT) return whyNotOpen(order)
  return `In doubt: look at the broker's book, then svc order settle ${order.orderid}`
}
