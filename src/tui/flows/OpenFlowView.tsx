import { useEffect } from 'react'
import { RUN_COLUMNS } from '../../views/flows/run.js'
import { FilterLine, listText } from '../components/list/FilterLine.js'
import { keptList, useList } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { useStaleText } from '../components/stale.js'
import { TabLine, tabAfter } from '../components/TabLine.js'
import { useBindings } from '../keys/bindings.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import type { Acting } from './acts/use-acting.js'
import { FlowFrame } from './FlowFrame.js'
import type { FlowRow } from './feed.js'
import { FLOW_KEYS } from './keys.js'
import { OpenFlowFeed } from './open-flow.js'
import { type Place, TABS } from './place.js'
import { TabContent } from './TabContent.js'

interface OpenFlowViewProps extends Area {
  row: FlowRow
  place: Place
  acting: Acting
  onMove(place: Place): void
}

const RUNS = keptList()

/** An open workflow: its graph, its executions, the log of one, and all its details. */
export function OpenFlowView({ row, place, acting, onMove, ...area }: OpenFlowViewProps) {
  const now = useNow(1000)
  const feed = useDaemon().part(OpenFlowFeed)
  useEffect(() => feed.choose(row.id), [feed, row.id])
  const live = useFeed(feed)
  // The workflow that was open before shows no more.
  const open = live.content?.id === row.id ? live.content : undefined
  const list = useList(RUNS, open?.runs ?? NO_RUNS, RUN_COLUMNS)
  const { tab } = place
  const run = open?.runs.find(({ id }) => id === place.run) ?? open?.runs[0]
  const show = (change: Partial<Place>) => onMove({ ...place, ...change })
  useBindings(FLOW_KEYS, tab, {
    list,
    move: list.move,
    run: () => void acting.run(row),
    toggle: () => void acting.toggle(row),
    open: () => undefined,
    back: () => show({ opened: undefined, run: undefined }),
    turn: (by) => show({ tab: tabAfter(TABS, tab, by) }),
    openRun: () => list.selected && show({ tab: 'log', run: list.selected.id }),
    cancelRun: () => acting.cancelRun(row, tab === 'executions' ? list.selected : run),
  })
  const summary = [summaryOf(row), tab === 'executions' ? listText(list) : '', useStaleText(live, now)]
  return (
    <FlowFrame
      {...{ ...area, acting, pane: tab }}
      summary={summary.filter((part) => part !== '').join('  ')}
      {...(list.isFiltering && { prompt: <FilterLine list={list} /> })}
    >
      {(inner) => (
        <>
          <TabLine tabs={TABS} current={tab} width={inner.width} />
          {open === undefined ? (
            <Notice
              {...{ ...inner, height: inner.height - 1 }}
              text={live.problem ?? 'Reading the workflow …'}
            />
          ) : (
            <TabContent
              {...{ ...inner, height: inner.height - 1, tab, row, open, run, list, now }}
              isStale={live.problem !== undefined}
            />
          )}
        </>
      )}
    </FlowFrame>
  )
}

const NO_RUNS: readonly [] = []

function summaryOf({ id, name, state, trigger, version, webhook_enabled: isOn }: FlowRow): string {
  const webhook = isOn || trigger === 'webhook' ? `, its webhook is ${isOn ? 'on' : 'off'}` : ''
  return `${id} ${name}: ${state}, ${trigger ?? 'no trigger'}${webhook}, version ${version}`
}
