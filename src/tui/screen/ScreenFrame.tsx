import { Box, Text } from 'ink'
import { type ReactNode, useEffect } from 'react'
import { visible } from '../../views/table/cells.js'
import { ageText } from '../../views/text/age.js'
import { LINE_KEYS } from '../components/list/FilterLine.js'
import { type AnyBinding, helpOf, shownKey } from '../keys/bindings.js'
import { type KeyHelp, KeyLine } from '../keys/KeyLine.js'
import { type KeyMap, useKeyMap } from '../keys/KeysProvider.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import { useStaleSince } from '../live/use-is-stale.js'
import { HELP } from '../shell/help-binding.js'
import { cut } from '../terminal/fit.js'
import { PaintedLine, type Part } from '../terminal/PaintedLine.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { useShell } from './shell-context.js'

interface ScreenFrameProps extends Area {
  /** The figures of the screen, in a few words. */
  summary: string
  /** The keys of the screen, and the pane that has them now. */
  bindings: readonly AnyBinding[]
  pane: string
  /** The keys of a question or a form, in place of those of the pane, or of the line to type in. */
  keys?: readonly KeyHelp[] | undefined
  /** The message when nothing else is to say, such as the whole state of the selected row. */
  note?: string
  /** Takes the place of the message: a line to type in. */
  prompt?: ReactNode
  children(area: Area): ReactNode
}

/** The lines around the content: the summary, the message and the keys. */
export const FRAME_LINES = 3
/** Ink gives no line to an empty text. */
const EMPTY = ' '

/** The frame of every screen: its figures, its content, the message of the last change, and its keys. */
export function ScreenFrame(props: ScreenFrameProps) {
  const { width, height, summary, bindings, pane, note = '', prompt, children } = props
  const message = useStore(useDaemon().changes.message)
  const map = useKeyMap()
  const shell = useShell()
  useEffect(() => shell.focus({ bindings, pane }), [shell, bindings, pane])
  const keys = props.keys ?? (prompt ? LINE_KEYS : [...helpOf(bindings, pane, map), helpKey(map)])
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Summary {...{ summary, width }} />
      <Box flexDirection="column" height={height - FRAME_LINES}>
        {children({ width, height: height - FRAME_LINES })}
      </Box>
      {prompt ?? <Text>{cut(visible(message || note), width) || EMPTY}</Text>}
      <KeyLine keys={keys} width={width} />
    </Box>
  )
}

type SummaryProps = Pick<ScreenFrameProps, 'summary' | 'width'>

/** The figures of the screen. While the connection is lost they begin with their age. */
function Summary(props: SummaryProps) {
  const since = useStaleSince()
  return since === undefined ? <Figures {...props} /> : <OldFigures {...props} since={since} />
}

function OldFigures({ since, ...props }: SummaryProps & { since: number }) {
  const age = ageText(Math.max(0, useNow(1000) - since))
  return <Figures {...props} age={{ text: ` ${age} old`, tone: 'warning' }} />
}

function Figures({ summary, width, age }: SummaryProps & { age?: Part }) {
  const figures = { text: ` ${visible(summary)}` }
  return <PaintedLine parts={age === undefined ? [figures] : [age, figures]} width={width} isDim />
}

const helpKey = (map: KeyMap): KeyHelp => ({ keys: shownKey(HELP, map), does: 'keys' })
