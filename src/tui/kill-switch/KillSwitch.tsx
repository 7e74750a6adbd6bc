import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { TextField } from '../components/form/TextField.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { cut, wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { useTone } from '../terminal/theme.js'
import { ENGAGE, RESUME } from './acts.js'

/** Asks for a typed word before the kill switch changes. It lies over everything else. */
export function KillSwitch({ width, height, onClose }: Area & { onClose(): void }) {
  const daemon = useDaemon()
  const { content: status } = useFeed(daemon.status)
  const tone = useTone()
  const { word, title, lines, change } = status?.killSwitch === true ? RESUME : ENGAGE
  const submit = (text: string) => {
    const refresh = () => void daemon.status.refresh()
    if (text.trim() === word) daemon.changes.start({ ...change(), isUrgent: true, onAnswer: refresh })
    else daemon.changes.say(`Nothing is changed: the word is ${word}.`)
    onClose()
  }
  return (
    <Box flexDirection="column" height={height}>
      <Text bold {...tone('danger')}>
        {cut(visible(title), width)}
      </Text>
      {lines
        .flatMap((line) => wrapped(line, width - 2))
        .map((line) => (
          <Text key={line}>{`  ${line}`}</Text>
        ))}
      <TextField
        key={word}
        label={`Type ${word} to confirm: `}
        level="urgent"
        onSubmit={submit}
        onCancel={onClose}
      />
      <KeyLine
        keys={[
          { keys: 'enter', does: 'send' },
          { keys: 'esc', does: 'cancel' },
        ]}
        width={width}
      />
    </Box>
  )
}
