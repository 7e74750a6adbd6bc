import { Box, Text } from 'ink'
import type { ComponentProps } from 'react'
import { visible } from '../../views/table/cells.js'
import { edited } from '../components/form/TextField.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import { Question, type QuestionText, questionKeys } from '../question/Question.js'
import { QuestionPane } from '../question/QuestionPane.js'
import { questionStateKeys } from '../question/use-question.js'
import { cut, wrapped, wrappedIn } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import type { Candidate, CommandAccess } from './access.js'
import { Output } from './run/Output.js'
import { useCommandLine } from './use-command.js'
import { useOrderLine } from './use-order-line.js'
import { type Running, useRunning } from './use-running.js'

interface CommandOverlayProps extends Area {
  access: CommandAccess
  onClose(): void
}

/**
 * The command line: runs the commands of `svc`, with their completion, and shows what they print. An order line, such as
 * `b 10 sbin 965`, shows what it would do, and leads to its review.
 */
export function CommandOverlay({ access, width, height, onClose }: CommandOverlayProps) {
  const line = useCommandLine(access)
  const { run, question, refusal, ...acts } = useRunning(access, line, width)
  const order = useOrderLine(line, onClose)
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
  if (order.review !== undefined) {
    return (
      <Review
        state={order.review}
        width={width}
        height={height}
        onConfirm={() => void order.confirm()}
        onLeave={order.leave}
      />
    )
  }
  const { isTyped } = order
  const facts = order.preview.flatMap((fact) => wrapped(visible(fact), width - 2))
  const reason = wrappedIn(visible(isTyped ? order.refusal : refusal), width, Math.floor(height / 2))
  const room = height - OTHER_LINES - reason.length
  return (
    <Box flexDirection="column" height={height}>
      <Typing
        line={line}
        width={width}
        isChecking={acts.isChecking}
        submit={isTyped ? order.submit : acts.submit}
        onCancel={onClose}
      />
      <Box flexDirection="column" height={room}>
        <Lines lines={facts.map((fact) => `  ${fact}`)} />
        <Candidates
          candidates={facts.length > 0 ? order.words : line.candidates}
          width={width}
          height={Math.max(0, room - facts.length)}
        />
      </Box>
      <Box flexDirection="column" height={reason.length}>
        <Lines lines={reason} />
      </Box>
      <KeyLine
        keys={[
          { keys: 'enter', does: isTyped ? 'review' : 'run' },
          { keys: 'tab', does: 'complete' },
          { keys: '↑↓', does: 'history' },
          { keys: 'esc', does: 'close' },
        ]}
        width={width}
      />
    </Box>
  )
}

/** The line that is typed, and the keys. */
const OTHER_LINES = 2

/** The review of an order line, over everything: its keys reach no question below it. */
function Review(props: ComponentProps<typeof QuestionPane>) {
  const { state, width, height } = props
  const message = wrappedIn(visible(useStore(useDaemon().changes.message)), width, Math.floor(height / 3))
  return (
    <Box flexDirection="column" height={height}>
      <QuestionPane {...props} level="overlay" height={height - 1 - message.length} />
      <Lines lines={message.map((line) => line || ' ')} />
      <KeyLine keys={questionStateKeys(state)} width={width} />
    </Box>
  )
}

/** Lines that are wrapped already. */
function Lines({ lines }: { lines: readonly string[] }) {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike
    <Text key={index}>{line}</Text>
  ))
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

/** Asks before a command that may change something at the broker. It shows the whole command: nobody confirms half of one. */
function Ask({ question, width, height, onConfirm, onCancel }: AskProps) {
  const lines = question.lines.flatMap((line) => wrapped(visible(line), width - 2))
  return (
    <Box flexDirection="column" height={height}>
      <Question
        question={{ ...question, lines }}
        width={width}
        height={height - 1}
        level="overlay"
        onConfirm={onConfirm}
        onCancel={onCancel}
      />
      <KeyLine keys={questionKeys(question)} width={width} />
    </Box>
  )
}
