import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { TextField } from '../components/form/TextField.js'
import { KeyLine } from '../keys/KeyLine.js'
import { badResult, type Change } from '../live/changes/changes.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { cut, wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { useTone } from '../terminal/theme.js'

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

/** A change of the kill switch, and the word that lets it go. */
interface KillSwitchAct {
  word: string
  title: string
  lines: readonly string[]
  change(): Change
}

const CHECK = 'svc risk show'

const ENGAGE: KillSwitchAct = {
  word: 'kill',
  title: 'Turn the kill switch on?',
  lines: [
    'No new order is sent, live or simulated, until it is off. Runs of strategies stop and close nothing.',
    'Open orders and positions stay. You can still cancel, close, and make orders smaller or less likely to fill.',
  ],
  change: () => ({
    name: 'Kill switch',
    check: CHECK,
    async send(client) {
      const body = { on: true, reason: 'from the terminal program' }
      const { data, reserved_runs: reserved } = await client.request('POST /risk/kill-switch', { body })
      const stored = data.kill_switch.stored ? '' : ' It is not stored yet: a restart would forget it.'
      const runs = reserved.length === 0 ? '' : ` ${reserved.length} runs need a person: svc strategy list.`
      const text = `ON, no new order is sent.${stored}${runs}`
      return stored + runs === '' ? text : badResult(text)
    },
  }),
}

const RESUME: KillSwitchAct = {
  word: 'RESUME',
  title: 'The kill switch is ON. Turn it off, so that orders are sent again?',
  lines: ['Webhooks, workflows and clients send again at once.'],
  change: () => ({
    name: 'Kill switch',
    check: CHECK,
    async send(client) {
      await client.request('POST /risk/kill-switch', { body: { on: false, confirm: 'RESUME' } })
      return 'off, orders are sent again.'
    },
  }),
}
