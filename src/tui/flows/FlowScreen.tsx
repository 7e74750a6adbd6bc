import { useEffect } from 'react'
import { useKept } from '../live/kept.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import type { ScreenProps } from '../screen/screen.js'
import { useAsked } from '../screen/shell-context.js'
import { useActing } from './acts/use-acting.js'
import { FlowList } from './FlowList.js'
import { FlowFeed, flowNamed } from './feed.js'
import { OpenFlowView } from './OpenFlowView.js'
import { PLACE } from './place.js'

/** The workflows: a list, and the open one. */
export function FlowScreen({ asked, ...area }: ScreenProps) {
  const daemon = useDaemon()
  const live = useFeed(daemon.part(FlowFeed))
  const [place, setPlace] = useKept(PLACE)
  const acting = useActing()
  const open = (opened: string) => setPlace({ ...place, opened, run: undefined })
  useAsked(asked, ({ id }) => open(id))
  const row = place.opened === undefined ? undefined : flowNamed(live.content, place.opened)
  const isUnknown = place.opened !== undefined && row === undefined && live.readAt > 0
  useEffect(() => {
    if (!isUnknown) return
    daemon.changes.say(`There is no workflow "${place.opened}".`)
    setPlace({ ...place, opened: undefined })
  })
  if (row === undefined)
    return <FlowList {...{ ...area, live, acting }} onOpen={({ id }) => open(String(id))} />
  return <OpenFlowView key={row.id} {...{ ...area, row, place, acting }} onMove={setPlace} />
}
