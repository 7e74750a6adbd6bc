import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { countText } from '../../views/text/count.js'
import { Fields } from '../components/Fields.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import type { Progress } from './decision.js'
import { Decisions } from './decisions.js'

/** The orders that were decided together, oldest first. */
export interface ResultsPane {
  kind: 'results'
  orders: readonly { id: number; text: string }[]
}

/** What becomes of orders that were decided together: each with its outcome, as the answers come. */
export function Results({ orders, width, height }: Area & Pick<ResultsPane, 'orders'>) {
  const progress = useStore(useDaemon().part(Decisions).progress)
  const now = useNow(60_000)
  const outcomes = orders.map(({ id }) => progress.get(id))
  const record = Object.fromEntries(orders.map(({ id }, index) => [id, outcomes[index]?.text ?? UNDONE]))
  const fields = orders.map(({ id, text }) => ({ key: String(id), title: visible(text) }))
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(resultTitle(outcomes), width)}</Text>
      <Fields width={width} height={height - 1} record={record} fields={fields} now={now} />
    </Box>
  )
}

const UNDONE = 'not decided'

/** How each step is counted. */
const COUNTED: readonly (readonly [Progress['step'], string])[] = [
  ['held', 'can be undone (u)'],
  ['waiting', 'waiting'],
  ['sending', 'being sent'],
  ['done', 'done'],
  ['partial', 'executed IN PART'],
  ['failed', 'approved, FAILED'],
  ['refused', 'REFUSED'],
  ['in_doubt', 'IN DOUBT'],
]

/** Returns how many orders there are, and how many have come how far: `5 orders: 4 done, 1 REFUSED`. */
export function resultTitle(outcomes: readonly (Progress | undefined)[]): string {
  const counts = COUNTED.flatMap(([step, words]) => {
    const count = outcomes.filter((one) => one?.step === step).length
    return count === 0 ? [] : `${count} ${words}`
  })
  return `${countText(outcomes.length, 'order')}: ${counts.length === 0 ? UNDONE : counts.join(', ')}`
}
