import { Box, Text } from 'ink'
import { useMemo, useState } from 'react'
import { visible } from '../../../views/table/cells.js'
import { scrollOf } from '../../components/Fields.js'
import { KeyLine } from '../../keys/KeyLine.js'
import { useKeyLayer } from '../../keys/KeysProvider.js'
import { useStore } from '../../live/use-daemon.js'
import { cut, wrapped } from '../../terminal/fit.js'
import type { Area } from '../../terminal/size.js'
import { useTone } from '../../terminal/theme.js'
import type { CommandRun } from './run.js'

interface OutputProps extends Area {
  run: CommandRun
  onClose(): void
  /** Called when the user wants to type the next command. */
  onNext(): void
}

/** The lines of the command, its title and the keys. */
const OTHER_LINES = 2

/** The output of a command: follows its end until the user scrolls up. */
export function Output({ run, width, height, onClose, onNext }: OutputProps) {
  const { line, output, dropped, exit } = useStore(run.state)
  const room = height - OTHER_LINES
  // A table fits by itself; a long sentence takes several lines.
  const lines = useMemo(() => output.flatMap((text) => wrapped(visible(text), width)), [output, width])
  const last = Math.max(0, lines.length - room)
  const [top, setTop] = useState<number>()
  const first = Math.min(top ?? last, last)
  const tone = useTone()
  useKeyLayer('overlay', ({ name }) => {
    const by = scrollOf(name, room)
    if (by !== 0) {
      const next = Math.min(Math.max(0, first + by), last)
      setTop(next === last ? undefined : next)
    } else if (name === ':' && exit !== undefined) onNext()
    else if (['esc', 'q', 'enter'].includes(name)) {
      // The result of a change must be seen before it is gone.
      if (exit === undefined) run.interrupt()
      else onClose()
    }
    return true
  })
  const shown = lines
    .slice(first, first + room)
    .map((text, index) => ({ number: dropped + first + index, text }))
  const state = exit === undefined ? 'running' : `exit ${exit}`
  const above = dropped + first > 0 ? `, ${dropped + first} lines above` : ''
  return (
    <Box flexDirection="column" height={height}>
      <Text bold {...tone(exit === undefined || exit === 0 ? undefined : 'danger')}>
        {cut(`svc ${visible(line)}: ${state}${above}`, width)}
      </Text>
      <Box flexDirection="column" height={room}>
        {shown.map(({ number, text }) => (
          <Text key={number}>{text}</Text>
        ))}
      </Box>
      <KeyLine
        keys={[
          { keys: '↑↓', does: 'scroll' },
          ...(exit === undefined
            ? [{ keys: 'esc', does: 'interrupt' }]
            : [
                { keys: ':', does: 'next command' },
                { keys: 'esc', does: 'close' },
              ]),
        ]}
        width={width}
      />
    </Box>
  )
}
