import { randomUUID } from 'node:crypto'
import { rupeePrice } from '../../../views/table/cells.js'
import type { FormField } from '../../components/form/Form.js'
import type { Shown } from '../../screen/record.js'
import type { PositionRow } from '../feeds.js'
import { bracketReview, whyNoBracket } from './bracket-review.js'
import { tightenReview } from './tighten-review.js'
import { typedDistance, typedExit } from './typed-exit.js'

type Asked = Pick<Shown, 'daemon' | 'dialogs'> & { row: PositionRow | undefined }

const NONE = 'no position is selected.'

/** Asks for the stop and the target of a bracket around the position under the cursor, then for the bracket. */
export function askForBracket({ daemon, dialogs, row }: Asked): void {
  const refusal = row === undefined ? NONE : whyNoBracket(row)
  if (row === undefined || refusal !== undefined) {
    daemon.changes.say(`Not sent: ${refusal}`)
    return
  }
  const key = randomUUID()
  dialogs.open({
    kind: 'form',
    title: `Bracket ${heldText(row)}, average ${rupeePrice(row.average_price)}, last ${rupeePrice(row.ltp)}`,
    fields: BRACKET_FIELDS,
    first: { stop: '', target: '' },
    reviewOf: (client, account, values) =>
      bracketReview(client, account, {
        asked: row,
        key,
        stop: typedExit(values.stop ?? ''),
        target: typedExit(values.target ?? ''),
      }),
  })
}

/** Asks for a distance, then for the move of the stop of the position under the cursor to there. */
export function askToTighten({ daemon, dialogs, row }: Asked): void {
  if (row === undefined) {
    daemon.changes.say(`Not sent: ${NONE}`)
    return
  }
  const key = randomUUID()
  dialogs.open({
    kind: 'form',
    title: `Move the stop nearer, once: ${heldText(row)}, last ${rupeePrice(row.ltp)}`,
    fields: DISTANCE_FIELDS,
    first: { distance: '' },
    reviewOf: (client, account, values) =>
      tightenReview(client, account, { asked: row, key, distance: typedDistance(values.distance ?? '') }),
  })
}

const heldText = ({ exchange, product, quantity, symbol }: PositionRow) =>
  `${quantity} ${exchange}:${symbol} ${product}`

const exitProblem = (text: string) =>
  typedExit(text) === undefined ? 'a price, or from the average: 2% or 15pt' : undefined

const BRACKET_FIELDS: readonly FormField[] = [
  { name: 'stop', label: 'Stop', problem: exitProblem },
  { name: 'target', label: 'Target', problem: exitProblem },
]

const DISTANCE_FIELDS: readonly FormField[] = [
  {
    name: 'distance',
    label: 'Behind the last price',
    problem: (text) => (typedDistance(text) === undefined ? 'a distance: 1.5% or 15pt' : undefined),
  },
]
