import { randomUUID } from 'node:crypto'
import type { SvcClient } from '../../client/index.js'
import type { Account } from '../live/account.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import type { Shown, ViewKey } from '../screen/record.js'
import { closeReview } from './close-reviews.js'
import { breakevenReview } from './exits/breakeven-review.js'
import { askForBracket, askToTighten } from './exits/forms.js'
import type { PositionRow } from './feeds.js'
import type { PositionKey } from './position-now.js'
import { sizeReview } from './size-reviews.js'

type OfPosition = Shown & { row: PositionRow | undefined }
type Review = (
  client: SvcClient,
  account: Account,
  about: { asked: PositionKey; key: string },
) => Promise<ChangeQuestion | Refusal>

/** Returns what a key does: it leads to the review of a change of the position under the cursor. */
const leadsTo =
  (review: Review) =>
  ({ daemon, dialogs, row }: OfPosition): void => {
    const key = randomUUID()
    if (row === undefined) daemon.changes.say('No position is selected.')
    else void dialogs.askForOrders((client, account) => review(client, account, { asked: row, key }))
  }

/** The keys of a position: each leads to a review, some by way of a form, and from there to one request. */
export const POSITION_KEYS: readonly ViewKey<OfPosition>[] = [
  {
    id: 'positions.close',
    in: ['list', 'details'],
    keys: ['c', 'x'],
    does: 'close',
    explained: 'close the position at the market, after a review',
    command: 'svc position close <symbol>',
    act: leadsTo((client, account, { asked, key }) => closeReview(client, account, asked, key)),
  },
  {
    id: 'positions.halve',
    in: ['list', 'details'],
    keys: ['h'],
    does: 'half',
    explained: 'close half of the position at the market, in whole lots',
    command: 'svc order smart <symbol> --position-size <n>',
    act: leadsTo((client, account, about) => sizeReview(client, account, { ...about, verb: 'halve' })),
  },
  {
    id: 'positions.reverse',
    in: ['list', 'details'],
    keys: ['v'],
    does: 'reverse',
    explained: 'close the position, and open the same on the other side',
    command: 'svc order smart <symbol> --position-size <n>',
    act: leadsTo((client, account, about) => sizeReview(client, account, { ...about, verb: 'reverse' })),
  },
  {
    id: 'positions.breakeven',
    in: ['list', 'details'],
    keys: ['b'],
    does: 'breakeven',
    explained: 'move its stop to the average price, or place one there',
    command: 'svc order modify <orderid> --trigger <price>',
    act: leadsTo(breakevenReview),
  },
  {
    id: 'positions.bracket',
    in: ['list', 'details'],
    keys: ['B'],
    does: 'bracket',
    explained: 'place a stop and a target around it, as one GTT (OCO)',
    command: 'svc order gtt place <symbol> --trigger-type OCO',
    act: askForBracket,
  },
  {
    id: 'positions.tighten',
    in: ['list', 'details'],
    keys: ['t'],
    does: 'tighten',
    explained: 'move its stop once, nearer to the last price',
    command: 'svc order modify <orderid> --trigger <price>',
    act: askToTighten,
  },
]
