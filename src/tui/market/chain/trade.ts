import { randomUUID } from 'node:crypto'
import { countText } from '../../../views/text/count.js'
import { symbolKey } from '../../../views/text/symbol.js'
import type { Change } from '../../live/changes/changes.js'
import type { LiveDaemon } from '../../live/daemon.js'
import { Kept } from '../../live/kept.js'
import { type BasketBody, basketReview } from '../../orders/basket-review.js'
import { Doubts } from '../../question/Doubts.js'
import type { Shown } from '../../screen/record.js'
import { basketOf } from './basket.js'
import type { Legs } from './legs.js'
import type { PricedLeg } from './payoff.js'

/** The marked options of an underlying. */
interface Marks {
  /** The underlying. */
  of: string
  legs: Legs
  /** The expiry that the screen shows: marks of others are not on it. */
  shownExpiry: string | undefined
  keep(legs: Legs): void
}

/** A basket that was sent, its key, and the marks that it was made of. */
interface SentBasket {
  basket: BasketBody
  key: string
  legs: Legs
  change: Change
}

/** The last basket of each underlying. */
const SENT = new Kept<ReadonlyMap<string, SentBasket>>(new Map())

const AGAIN = 'In doubt: sent again as it was, under its key, so nothing is placed twice.'

/**
 * Asks for the marked options as one basket. While the last one of the same marks is in doubt, it is asked for again with its
 * prices and its key, so that the daemon tells what became of it, or places what it has not got.
 * @param priced returns the marked options at the prices of now
 */
export function tradeMarked(
  marks: Marks,
  priced: () => readonly PricedLeg[],
  { daemon, dialogs }: Pick<Shown, 'daemon' | 'dialogs'>,
): void {
  const again = basketInDoubt(marks, daemon)
  const basketNow = () => again?.basket ?? basketOf(priced(), Date.now())
  const first = basketNow()
  if ('problem' in first) {
    daemon.changes.say(first.problem)
    return
  }
  const key = again?.key ?? randomUUID()
  void dialogs.askForOrders(async (client, account) => {
    // A question that has grown old is asked again, at the prices of then.
    const basket = basketNow()
    if ('problem' in basket) return { refusal: basket.problem }
    const review = await basketReview(client, account, basket, {
      key,
      noteOf: (order) => noteOf(marks.legs, symbolKey(order)),
      caution: expiryLine(marks),
    })
    if ('refusal' in review) return review
    const change: Change = {
      ...review.change,
      async send(sender) {
        const sent = { basket, key, legs: marks.legs, change }
        SENT.keep(daemon, new Map(SENT.of(daemon)).set(marks.of, sent))
        const result = await review.change.send(sender)
        if (again !== undefined) daemon.part(Doubts).settle(again.change)
        // Legs that were not placed, or only in part, stay marked.
        if (typeof result === 'string') marks.keep([])
        return result
      },
    }
    return { ...review, change, lines: again === undefined ? review.lines : [AGAIN, ...review.lines] }
  })
}

function noteOf(legs: Legs, symbol: string): string | undefined {
  const leg = legs.find((one) => one.symbol === symbol)
  return leg && `expiry ${leg.expiry}`
}

/** Returns the expiries of the marks where they are not all on the screen; undefined where they are. */
function expiryLine({ legs, shownExpiry }: Pick<Marks, 'legs' | 'shownExpiry'>): string | undefined {
  if (legs.every(({ expiry }) => expiry === shownExpiry)) return undefined
  const expiries = [...new Set(legs.map(({ expiry }) => expiry))]
  const named = expiries.map((one) => {
    const count = legs.filter(({ expiry }) => expiry === one).length
    return `${countText(count, 'leg')} of ${one}`
  })
  return `EXPIRIES: ${named.join(', ')}; the screen shows ${shownExpiry ?? 'none yet'}`
}

/** Returns the last basket of these marks while its outcome is not known. */
function basketInDoubt({ of, legs }: Marks, daemon: LiveDaemon): SentBasket | undefined {
  const last = SENT.of(daemon).get(of)
  return last?.legs === legs && daemon.part(Doubts).has(last.change) ? last : undefined
}
