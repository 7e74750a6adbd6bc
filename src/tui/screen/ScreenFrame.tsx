import { Box, Text } from 'ink'
import { type ReactNode, useEffect } from 'react'
import stringWidth from 'string-width'
import { visible } from '../../views/table/cells.js'
import { ageText } from '../../views/text/age.js'
import { TextField } from '../components/form/TextField.js'
import type { List } from '../components/list/use-list.js'
import { type Binding, everywhereOf, helpOf, useBindings, workingNow } from '../keys/bindings.js'
import { type KeyHelp, KeyLine } from '../keys/KeyLine.js'
import { useKeyMap } from '../keys/KeysProvider.js'
import { useDaemon, useStaleSince, useStore } from '../live/use-daemon.js'
import { cut, fitted, wrappedIn } from '../terminal/fit.js'
import { PaintedLine, type Part } from '../terminal/PaintedLine.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { useShell } from './screen.js'

interface ScreenFrameProps<Pane extends string, State> extends Area {
  /** The figures of the screen, in a few words. */
  summary: string
  /** The place of the cursor in the list: `12 of 207`. */
  place?: string | undefined
  /** The keys of the screen, the pane that has them now, and what they act on. */
  keys: readonly Binding<Pane, State>[]
  pane: Pane
  state: State
  /** The list whose filter may be typed in place of the message. */
  list?: List<unknown> | undefined
  /** The keys that the last line names in place of those of the pane: of a form, or of a line to type in. */
  named?: readonly KeyHelp[] | undefined
  /** The message when nothing else is to say, such as the whole state of the selected row. */
  note?: string
  /** Takes the place of the message: a line to type in. */
  prompt?: ReactNode
  children(area: Area): ReactNode
}

/** The lines around the content: the summary, the message and the keys. */
const FRAME_LINES = 3
/** Ink gives no line to an empty text. */
const EMPTY = ' '
/** The most lines of a message, in parts of the height. */
const MOST_MESSAGE = 1 / 3

/** A hook: returns the lines of the message of the last change: a long one takes several. */
function useMessage({ width, height }: Area): readonly string[] {
  const message = useStore(useDaemon().changes.message)
  return wrappedIn(visible(message), width, Math.max(1, Math.floor(height * MOST_MESSAGE)))
}

/** A hook: returns the lines of a screen that the frame takes. */
export const useFrameLines = (area: Area): number => FRAME_LINES - 1 + useMessage(area).length

/** The frame of every screen: its figures, its content, the message of the last change, and its keys. */
export function ScreenFrame<Pane extends string, State>(props: ScreenFrameProps<Pane, State>) {
  const { width, height, summary, place = '', keys, pane, state, list, named, note = '', children } = props
  useBindings(keys, pane, state)
  const message = useMessage({ width, height })
  const map = useKeyMap()
  const shell = useShell()
  useEffect(() => shell.focus({ bindings: keys, pane }), [shell, keys, pane])
  const prompt = list?.isFiltering ? <FilterLine list={list} /> : props.prompt
  const isTyping = named !== undefined || prompt !== undefined
  const everywhere = isTyping ? [] : everywhereOf(keys, pane, map)
  const typing = list?.isFiltering ? FILTER_KEYS : LINE_KEYS
  const help = named ?? (prompt === undefined ? helpOf(workingNow(keys, state), pane, map) : typing)
  // A note changes with the cursor: in one line, it moves nothing.
  const text = message[0] === '' ? [cut(visible(note), width)] : message
  const area = { width, height: height - FRAME_LINES - (prompt === undefined ? text.length - 1 : 0) }
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Summary summary={summary} place={place} width={width} />
      <Box flexDirection="column" {...area}>
        {children(area)}
      </Box>
      {prompt ??
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        text.map((line, at) => <Text key={at}>{line || EMPTY}</Text>)}
      <KeyLine keys={help} everywhere={everywhere} width={width} />
    </Box>
  )
}

interface SummaryProps {
  summary: string
  place: string
  width: number
}

/** The figures of the screen. While the connection is lost they begin with their age. */
function Summary(props: SummaryProps) {
  const since = useStaleSince()
  return since === undefined ? <Figures {...props} /> : <OldFigures {...props} since={since} />
}

function OldFigures({ since, ...props }: SummaryProps & { since: number }) {
  const age = ageText(Math.max(0, useNow(1000) - since))
  return <Figures {...props} age={{ text: ` ${age} old`, tone: 'warning' }} />
}

function Figures({ summary, place, width, age }: SummaryProps & { age?: Part }) {
  const room = width - stringWidth(age?.text ?? '')
  const text = ` ${visible(summary)}`
  // The place stays whole at the right, whatever the figures need.
  const figures = { text: place === '' ? text : `${fitted(text, room - place.length - 2)} ${place}` }
  return <PaintedLine parts={age === undefined ? [figures] : [age, figures]} width={width} isDim />
}

/** The line that edits the filter of a list, and shows its effect at once. Esc removes the filter. */
function FilterLine({ list }: { list: List<unknown> }) {
  return (
    <TextField
      label="Filter: "
      first={list.filter}
      onChange={list.setFilter}
      onSubmit={list.endFilter}
      onCancel={() => {
        list.setFilter('')
        list.endFilter()
      }}
    />
  )
}

const TAKE: KeyHelp = { keys: 'enter', does: 'take it' }
/** The keys of a line to type in, and of the line for a filter. */
const LINE_KEYS: readonly KeyHelp[] = [TAKE, { keys: 'esc', does: 'leave it' }]
const FILTER_KEYS: readonly KeyHelp[] = [TAKE, { keys: 'esc', does: 'clear it' }]
