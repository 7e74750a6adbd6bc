import type { Dialogs } from '../dialog/use-dialogs.js'
import { useDesk } from '../live/use-desk.js'
import type { ModeActs } from './keys.js'
import { analyzeQuestion, orderModeQuestion } from './modes.js'

/** Returns the acts that change where orders go. */
export function useModes(): (dialogs: Dialogs) => ModeActs {
  const desk = useDesk()
  return (dialogs) => ({
    analyze: () => void dialogs.askWhenRead(() => analyzeQuestion(desk)),
    orderMode: () => void dialogs.askWhenRead(() => orderModeQuestion(desk)),
  })
}
