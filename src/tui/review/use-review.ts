import { useDaemon } from '../live/use-daemon.js'
import { type Questioning, useQuestion } from '../question/use-question.js'
import { Doubts } from './doubts.js'

/** Leads from a question to a change that may reach the broker. One whose outcome is not known stays on the screen. */
export function useReview(): Questioning {
  const doubts = useDaemon().part(Doubts)
  return useQuestion((change) => doubts.watched(change))
}
