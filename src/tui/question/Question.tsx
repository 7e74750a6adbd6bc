import { Box, Text } from 'ink'
import { useState } from 'react'
import { visible } from '../../views/table/cells.js'
import { scrollOf } from '../components/Fields.js'
import { TextField } from '../components/form/TextField.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import type { Level } from '../keys/router.js'
import { cut, wrapped } from '../terminal/fit.js'
import { useTone } from '../terminal/theme.js'

/** A question before a change. */
export interface QuestionText {
  title: string
  lines: readonly string[]
  /** The word to type; without one, `y` is enough. */
  word?: string | undefined
}

interface QuestionProps {
  question: QuestionText
  width: number
  height: number
  /** The layer of its keys: a question over a screen must not leave them to what lies below. */
  level?: Level
  onConfirm(): void
  onCancel(): void
  /** Reads the facts again; given once they may be old, in place of a confirmation. */
  onAgain?: (() => void) | undefined
}

/** Asks before a change: its object, the facts that matter, and `y` or a word to type. */
export function Question(props: QuestionProps) {
  const { question, width, height, level = 'pane', onConfirm, onCancel, onAgain } = props
  const { title, lines, word } = question
  const tone = useTone()
  const heading = shortened(wrapped(visible(title), width), Math.floor(height / 2))
  const room = height - heading.length - 2
  const [top, setTop] = useState(0)
  // What `y` alone confirms can be read to its end: long lines are wrapped, and the arrows scroll.
  const whole = lines.flatMap((line) => wrapped(visible(line), width - 2))
  const last = Math.max(0, whole.length - Math.max(1, room - 1))
  const first = Math.min(top, last)
  const shown = word === undefined ? scrolled(whole, room, first) : fitting(whole, room)
  const scroll = (name: string) => {
    const by = scrollOf(name, Math.max(1, room - 1))
    if (by !== 0) setTop(Math.min(Math.max(0, first + by), last))
  }
  // A value may be typed as the title writes it.
  const submit = (text: string) => (text.trim().replace(/[₹,]/g, '') === word ? onConfirm() : onCancel())
  return (
    <Box flexDirection="column" height={height}>
      {heading.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike
        <Text key={index} bold {...tone(word === undefined ? 'warning' : 'danger')}>
          {line}
        </Text>
      ))}
      {shown.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike
        <Text key={index}>{cut(`  ${visible(line)}`, width)}</Text>
      ))}
      {onAgain !== undefined ? (
        <Old level={level} onAgain={onAgain} onCancel={onCancel} onScroll={scroll} />
      ) : word === undefined ? (
        <YesOrNo level={level} onConfirm={onConfirm} onCancel={onCancel} onScroll={scroll} />
      ) : (
        <TextField label={`Type ${word} to confirm: `} level={level} onSubmit={submit} onCancel={onCancel} />
      )}
    </Box>
  )
}

/** Returns a title without its middle if it is too long: it begins with the act, and ends with mode and broker. */
function shortened(title: readonly string[], room: number): readonly string[] {
  if (title.length <= room) return title
  return [...title.slice(0, Math.max(1, room - 2)), '…', ...title.slice(-1)]
}

/** Returns the lines that fit, with the number of the others. */
function fitting(lines: readonly string[], room: number): readonly string[] {
  if (lines.length <= room) return lines
  const shown = lines.slice(0, Math.max(0, room - 1))
  return [...shown, `and ${lines.length - shown.length} more`]
}

/** Returns the lines that fit from one on; what is asked for in `y` alone can be read to its end. */
function scrolled(lines: readonly string[], room: number, first: number): readonly string[] {
  if (lines.length <= room) return lines
  const shown = lines.slice(first, first + Math.max(1, room - 1))
  const left = lines.length - first - shown.length
  return [...shown, left > 0 ? `and ${left} more (↑↓ scroll)` : '(↑↓ scroll)']
}

interface YesOrNoProps extends Pick<QuestionProps, 'onConfirm' | 'onCancel'> {
  level: Level
  onScroll(key: string): void
}

/** The last line of the screen names the keys. */
function YesOrNo({ level, onConfirm, onCancel, onScroll }: YesOrNoProps) {
  useKeyLayer(level, ({ name }) => {
    if (name === 'y') onConfirm()
    else if (name === 'n' || name === 'q' || name === 'esc') onCancel()
    else onScroll(name)
    return true
  })
  return null
}

interface OldProps extends Pick<QuestionProps, 'onCancel'>, Pick<YesOrNoProps, 'level' | 'onScroll'> {
  onAgain(): void
}

/** Takes no confirmation of facts that may be old. */
function Old({ level, onAgain, onCancel, onScroll }: OldProps) {
  const tone = useTone()
  useKeyLayer(level, ({ name }) => {
    if (name === 'enter') onAgain()
    else if (name === 'n' || name === 'q' || name === 'esc') onCancel()
    else onScroll(name)
    return true
  })
  return (
    <Text bold {...tone('warning')}>
      This may be old: enter reads it again.
    </Text>
  )
}

const CANCEL: KeyHelp = { keys: 'esc', does: 'cancel' }

/** The keys of a question whose facts may be old. */
export const OLD_KEYS: readonly KeyHelp[] = [{ keys: 'enter', does: 'read again' }, CANCEL]

/** Returns the keys of a question. */
export function questionKeys({ word }: QuestionText): readonly KeyHelp[] {
  if (word !== undefined) return [{ keys: 'enter', does: 'send' }, CANCEL]
  return [
    { keys: 'y', does: 'yes' },
    { keys: 'n', does: 'no' },
  ]
}
