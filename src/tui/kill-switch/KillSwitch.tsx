import { Box, Text } from 'ink'
import { visible } from '../../cli/output/tables/cells.js'
import { TextField } from '../components/TextField.js'
import { KeyLine } from '../keys/KeyLine.js'
import type { Change } from '../live/changes.js'
import { useDesk, useFeed } from '../live/use-desk.js'
import { cut, wrapped } from '../screen/fit.js'
import type { Area } from '../screen/size.js'
import { useTone } from '../screen/theme.js'

const CHECK = 'svc risk show'

const ENGAGE = {
  word: 'kill',
  title: 'Turn the kill switch on?',
  lines: [
    'No new order is sent, live or simulated, until it is off. Runs of strategies stop and close nothing.',
    'Cancels still work. Open orders and positions stay: cancel and close them yourself.',
  ],
  change: (): Change => ({
    ...{ name: 'Kill switch', check: CHECK },
    async send(client) {
      const body = { on: true, reason: 'from the terminal program' }
      const { data, reserved_runs: reserved } = await client.request('POST /risk/kill-switch', { body })
      const stored = data.kill_switch.stored ? '' : ' It is not stored yet: a restart would forget it.'
      const runs = reserved.length === 0 ? '' : ` ${reserved.length} runs need a person: svc strategy list.`
      return `ON, no new order is sent.${stored}${runs}`
    },
  }),
}

const RESUME = {
  word: 'RESUME',
  title: 'The kill switch is ON. Turn it off, so that orders are sent again?',
  lines: ['Webhooks, workflows and clients send again at once.'],
  change: (): Change => ({
    ...{ name: 'Kill switch', check: CHECK },
    async send(client) {
      await client.request('POST /risk/kill-switch', { body: { on: false, confirm: 'RESUME' } })
      return 'off, orders are sent again.'
    },
  }),
}

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
