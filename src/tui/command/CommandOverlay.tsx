import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { edited } from '../components/form/TextField.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import type { QuestionText } from '../question/Question.js'
import { cut, wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { useTone } from '../terminal/theme.js'
import type { Candidate, CommandAccess } from './access.js'
import { Output } from './Output.js'
import { useCommandLine } from './use-command.js'
import { type Running, useRunning } from './use-running.js'

interface CommandOverlayProps extends Area {
  access: CommandAccess
  onClose(): void
}

/** The command line: runs the commands of `svc`, with their completion, and shows what they print. */
export function CommandOverlay({ access, width, height, onClose }: CommandOverlayProps) {
  const line = useCommandLine(access)
  const { run, question, refusal, ...acts } = useRunning(access, line, width)
  if (run !== undefined)
    return <Output run={run} width={width} height={height} onClose={onClose} onNext={acts.leave} />
  if (question !== undefined) {
    return (
      <Ask
        question={question}
        width={width}
        height={height}
        onConfirm={acts.confirm}
        onCancel={acts.cancel}
      />
    )
  }
  return (
    <Box flexDirection="column" height={height}>
      <Typing line={line} width={width} {...acts} onCancel={onClose} />
      <Candidates candidates={line.candidates} width={width} height={height - 3} />
      <Text>{cut(refusal, width)}</Text>
      <KeyLine
        keys={[
          { keys: 'enter', does: 'run' },
          { keys: 'tab', does: 'complete' },
          { keys: '↑↓', does: 'history' },
          { keys: 'esc', does: 'close' },
        ]}
        width={width}
      />
    </Box>
  )
}

interface TypingProps extends Pick<Running, 'isChecking' | 'submit'> {
  line: ReturnType<typeof useCommandLine>
  width: number
  onCancel(): void
}

function Typing({ line, width, isChecking, submit, onCancel }: TypingProps) {
  useKeyLayer('overlay', ({ name, text }) => {
    if (name === 'esc') onCancel()
    else if (isChecking()) return true
    else if (name === 'enter') submit()
    else if (name === 'tab') line.complete()
    else if (name === 'up') line.recall(-1)
    else if (name === 'down') line.recall(1)
    else line.type(edited(line.text, name, text))
    return true
  })
  return (
    <Text bold wrap="truncate-start">
      {`: svc ${visible(line.text)}`.slice(-Math.max(1, width - 1))}
      <Text inverse> </Text>
    </Text>
  )
}

function Candidates({ candidates, width, height }: Area & { candidates: readonly Candidate[] }) {
  const longest = Math.min(30, Math.max(0, ...candidates.map(({ value }) => value.length)))
  return (
    <Box flexDirection="column" height={height}>
      {candidates.slice(0, height).map(({ value, summary }) => (
        <Text key={value}>{cut(`  ${visible(value).padEnd(longest)}  ${visible(summary)}`, width)}</Text>
      ))}
    </Box>
  )
}

interface AskProps extends Area {
  question: QuestionText
  onConfirm(): void
  onCancel(): void
}

/** Asks before a command that may change something in LIVE mode. */
function Ask({ question, width, height, onConfirm, onCancel }: AskProps) {
  const tone = useTone()
  useKeyLayer('overlay', ({ name }) => {
    if (name === 'y') onConfirm()
    else if (name === 'n' || name === 'esc') onCancel()
    return true
  })
  return (
    <Box flexDirection="column" height={height}>
      <Text bold {...tone('danger')}>
        {cut(visible(question.title), width)}
      </Text>
      {question.lines
        .flatMap((text) => wrapped(`  ${visible(text)}`, width))
        .map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike
          <Text key={index}>{text}</Text>
        ))}
      <KeyLine
        keys={[
          { keys: 'y', does: 'run' },
          { keys: 'n', does: 'back' },
        ]}
        width={width}
      />
    </Box>
  )
}
