import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { TextField } from '../components/form/TextField.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useDesk, useFeed } from '../live/use-desk.js'
import { cut, wrapped } from '../screen/fit.js'
import type { Area } from '../screen/size.js'
import { useTone } from '../screen/theme.js'
import { ENGAGE, RESUME } from './acts.js'

/** Asks for a typed word before the kill switch changes. It lies over everything else. */
export function KillSwitch({ width, height, onClose }: Area & { onClose(): void }) {
  const desk = useDesk()
  const { content: status } = useFeed(desk.status)
  const tone = useTone()
  const { word, title, lines, change } = status?.killSwitch === true ? RESUME : ENGAGE
  const submit = (text: string) => {
    const refresh = () => void desk.status.refresh()
    if (text.trim() === word) desk.changes.start({ ...change(), isUrgent: true, onAnswer: refresh })
    else desk.changes.say(`Nothing is changed: the word is ${word}.`)
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
