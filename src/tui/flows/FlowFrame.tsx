import type { ReactNode } from 'react'
import { keysOfState, QuestionPane } from '../question/QuestionPane.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import type { Area } from '../terminal/size.js'
import type { Acting } from './acts/use-acting.js'
import { FLOW_KEYS } from './keys.js'
import type { Pane } from './place.js'

interface FlowFrameProps extends Area {
  pane: Pane
  acting: Acting
  summary: string
  note?: string | undefined
  prompt?: ReactNode
  children(area: Area): ReactNode
}

/** The frame of the list and of an open workflow. A question covers the content. */
export function FlowFrame({ acting, children, note = '', prompt, ...frame }: FlowFrameProps) {
  const { state, confirm, leave } = acting.question
  return (
    <ScreenFrame
      {...frame}
      {...{ note, bindings: FLOW_KEYS }}
      {...keysOfState(state)}
      {...(prompt !== undefined && { prompt })}
    >
      {(area) =>
        state === undefined ? (
          children(area)
        ) : (
          <QuestionPane {...{ ...area, state }} onConfirm={() => void confirm()} onLeave={leave} />
        )
      }
    </ScreenFrame>
  )
}
