import { Box } from 'ink'
import { createContext, type ReactNode, useContext } from 'react'
import { PaintedLine } from '../terminal/PaintedLine.js'
import type { Area } from '../terminal/size.js'

/** From this width on, a screen has room for the details of a row beside its list. */
const TWO_PANES = 100
/** Narrower, the fields of a record take too many lines; wider, they are lost in blanks. */
const [LEAST, MOST] = [40, 70]
const RULE = { text: '│ ', width: 2 }
const TITLE_LINES = 1

/** Returns the width of the list and of the pane beside it; undefined in a terminal without room for both. */
export function panesIn(width: number): { list: number; pane: number } | undefined {
  if (width < TWO_PANES) return undefined
  const pane = Math.min(MOST, Math.max(LEAST, Math.floor(width * 0.4)))
  return { list: width - pane, pane }
}

const InPane = createContext(false)

/** Returns whether a part of the program is drawn beside a list, which has the keys. */
export const useIsInPane = (): boolean => useContext(InPane)

interface SidePaneProps extends Area {
  title: string
  children(area: Area): ReactNode
}

/** What the cursor of a list is on, right of the list. It takes no keys. */
export function SidePane({ title, width, height, children }: SidePaneProps) {
  const area = { width: width - RULE.width, height: height - TITLE_LINES }
  return (
    <Box width={width} height={height}>
      <Box flexDirection="column" width={RULE.width}>
        {Array.from({ length: height }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: every line is the same.
          <PaintedLine key={line} parts={[{ text: RULE.text, isDim: true }]} width={RULE.width} />
        ))}
      </Box>
      <Box flexDirection="column" width={area.width}>
        <PaintedLine parts={[{ text: title, isBold: true }]} width={area.width} />
        <InPane.Provider value>{children(area)}</InPane.Provider>
      </Box>
    </Box>
  )
}
