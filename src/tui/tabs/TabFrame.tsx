import type { ReactNode } from 'react'
import { useStaleText } from '../components/stale.js'
import { TabLine } from '../components/TabLine.js'
import { DialogPane } from '../dialog/DialogPane.js'
import type { Dialogs } from '../dialog/use-dialogs.js'
import type { AnyBinding } from '../keys/bindings.js'
import type { Live } from '../live/feed.js'
import type { Area } from '../screen/size.js'
import { ScreenFrame } from '../shell/ScreenFrame.js'
import type { Tabs } from './use-tabs.js'

interface TabFrameProps extends Area {
  tabs: Tabs
  dialogs: Dialogs
  /** The age of the content. */
  live: Live<unknown>
  now: number
  summary: string
  bindings: readonly AnyBinding[]
  pane: string
  note?: string
  prompt?: ReactNode
  children(area: Area): ReactNode
}

/** The frame of a tab: the names of all tabs over its content, or over the question before a change. */
export function TabFrame({ tabs, dialogs, live, now, children, ...frame }: TabFrameProps) {
  const { dialog, keys } = dialogs
  const stale = useStaleText(live, now)
  const summary = stale === '' ? frame.summary : `${stale}  ${frame.summary}`
  return (
    <ScreenFrame {...frame} summary={summary} {...(keys && { keys })}>
      {({ width, height }) => {
        const area = { width, height: height - 1 }
        return (
          <>
            <TabLine tabs={tabs.all} current={tabs.current} width={width} />
            {dialog === undefined ? children(area) : <DialogPane {...{ ...area, dialog, dialogs }} />}
          </>
        )
      }}
    </ScreenFrame>
  )
}
