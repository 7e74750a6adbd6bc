import { Box, Text } from 'ink'
import { visible } from '../../cli/output/tables/cells.js'
import { keysOfQuestion, Question } from '../components/Question.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { cut } from '../screen/fit.js'
import type { Area } from '../screen/size.js'
import type { ReviewState } from './use-review.js'

interface ReviewPaneProps extends Area {
  state: ReviewState
  onConfirm(): void
  onCancel(): void
}

/** The review before a change that may reach the broker. */
export function ReviewPane({ state, ...rest }: ReviewPaneProps) {
  if (state.kind === 'reading') return <Reading name={state.name} {...rest} />
  return <Question question={state.review} {...rest} />
}

function Reading({ name, width, height, onCancel }: Area & { name: string; onCancel(): void }) {
  useKeyLayer('pane', ({ name: key }) => {
    if (key === 'esc' || key === 'q') onCancel()
    return true
  })
  return (
    <Box height={height}>
      <Text>{cut(visible(`${name}: reading the review …`), width)}</Text>
    </Box>
  )
}

/** Returns the keys of a review. */
export function keysOfReview(state: ReviewState): readonly KeyHelp[] {
  return state.kind === 'asked' ? keysOfQuestion(state.review) : [{ keys: 'esc', does: 'cancel' }]
}
