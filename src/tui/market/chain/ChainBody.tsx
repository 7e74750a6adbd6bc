import { Box } from 'ink'
import { Table } from '../../components/list/Table.js'
import { panesIn, SidePane } from '../../components/SidePane.js'
import { isOld } from '../../live/prices/quote.js'
import { useIsStale } from '../../live/use-daemon.js'
import { PaintedLine } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import { type ChainRow, COLUMNS, MARKED_COLUMNS } from './chain.js'
import { PayoffPanel, panelTitle, payoffLines } from './PayoffPanel.js'
import type { ChainPayoff } from './payoff.js'

interface StrikesProps {
  rows: readonly ChainRow[]
  selected: number | undefined
  /** The strike at the money. */
  money: number | undefined
  now: number
  isStale: boolean
}

interface BodyProps extends StrikesProps, Area {
  payoff: ChainPayoff | undefined
  /** The exchange of the options. */
  venue: string
}

/** The strikes with the payoff of the marked ones: beside them where there is room, otherwise below in words. */
export function ChainBody({ payoff, venue, width, height, ...strikes }: BodyProps) {
  const isLost = useIsStale()
  if (payoff === undefined) return <Strikes {...strikes} width={width} height={height} isMarked={false} />
  const isOldLeg = payoff.legs.some(({ entry }) => entry !== undefined && isOld(entry, strikes.now))
  const panel = { shown: payoff, venue, isStale: isLost || strikes.isStale || isOldLeg }
  const panes = panesIn(width)
  if (panes === undefined) {
    const lines = payoffLines(payoff, width).slice(0, MOST_LINES)
    return (
      <>
        <Strikes {...strikes} width={width} height={height - lines.length} isMarked />
        {lines.map((part) => (
          <PaintedLine key={part.text} parts={[part]} width={width} isDim={panel.isStale} />
        ))}
      </>
    )
  }
  return (
    <Box>
      <Box flexDirection="column" width={panes.list}>
        <Strikes {...strikes} width={panes.list} height={height} isMarked />
      </Box>
      <SidePane title={panelTitle(payoff)} width={panes.pane} height={height}>
        {(area) => <PayoffPanel {...area} {...panel} />}
      </SidePane>
    </Box>
  )
}

/** The most lines below the strikes: the sentence of four break-evens. */
const MOST_LINES = 4

function Strikes({ money, isMarked, isStale, ...strikes }: StrikesProps & Area & { isMarked: boolean }) {
  return (
    <Table
      {...strikes}
      isStale={(row) => isStale || row.isOld}
      columns={isMarked ? MARKED_COLUMNS : COLUMNS}
      marked={new Set(money === undefined ? [] : [money])}
    />
  )
}
