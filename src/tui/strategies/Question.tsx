import { Box, Text } from 'ink'
import { visible } from '../../cli/output/tables/cells.js'
import { TextField } from '../components/TextField.js'
import { cut, wrapped } from '../screen/fit.js'
import { useTone } from '../screen/theme.js'
import { useKeyPress } from '../screen/use-key-press.js'
import type { ModePane, QuestionPane } from './pane.js'
import type { Acting } from './use-acting.js'

interface AskProps<P> {
  pane: P
  acting: Acting
  width: number
  height: number
}

/** Asks for the mode of a run. */
export function ModeQuestion({ pane, acting, width, height }: AskProps<ModePane>) {
  const { row } = pane
  useKeyPress((input, key) => {
    if (key.escape || input === 'q' || input === 'n') acting.cancel()
    else if (input === 's') void acting.choose(row, 'sandbox')
    else if (input === 'l') void acting.choose(row, 'live')
  })
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(visible(`Start ${row.id} ${row.name}. In which mode?`), width)}</Text>
      <Text>{'  s  sandbox'}</Text>
      <Text dimColor={!row.live_enabled}>
        {row.live_enabled ? '  l  live' : `  -  live: not enabled (svc strategy live ${row.id} on)`}
      </Text>
    </Box>
  )
}

/** Asks before a change: its object, the legs it touches, and `y` or a word to type. */
export function Confirm({ pane, acting, width, height }: AskProps<QuestionPane>) {
  const { title, lines, word } = pane.question
  const tone = useTone()
  const heading = wrapped(visible(title), width)
  return (
    <Box flexDirection="column" height={height}>
      {heading.map((line) => (
        <Text key={line} bold {...tone(word === undefined ? 'yellow' : 'red')}>
          {line}
        </Text>
      ))}
      {lines.slice(0, Math.max(0, height - heading.length - 2)).map((line) => (
        <Text key={line}>{cut(`  ${visible(line)}`, width)}</Text>
      ))}
      {word === undefined ? <YesOrNo {...{ pane, acting }} /> : <Word {...{ pane, acting, word }} />}
    </Box>
  )
}

function YesOrNo({ pane, acting }: Pick<AskProps<QuestionPane>, 'pane' | 'acting'>) {
  useKeyPress((input, key) => {
    if (input === 'y') void acting.confirm(pane)
    else if (input === 'n' || input === 'q' || key.escape) acting.cancel()
  })
  return <Text bold>y yes n no</Text>
}

/** Only the whole word confirms. */
function Word({ pane, acting, word }: Pick<AskProps<QuestionPane>, 'pane' | 'acting'> & { word: string }) {
  const submit = (text: string) => (text.trim() === word ? void acting.confirm(pane) : acting.cancel())
  return <TextField label={`Type ${word} to confirm: `} onSubmit={submit} onCancel={acting.cancel} />
}
