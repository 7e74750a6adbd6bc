import { ageText } from '../../../views/text/age.js'
import { useDesk, useFeed } from '../../live/use-desk.js'
import { FieldsTab } from '../../tabs/FieldsTab.js'
import { OverviewFeed } from '../feeds/overview.js'
import { FIELD_KEYS } from '../keys.js'
import { OVERVIEW_FIELDS, overviewRecord } from '../overview.js'
import { useModes } from '../use-modes.js'
import type { SystemTabProps } from './props.js'

/** The state of the service, its broker and its installation. */
export function OverviewTab(props: SystemTabProps) {
  const live = useFeed(useDesk().part(OverviewFeed))
  const acts = useModes()
  const { service } = live.content ?? {}
  const summary = service ? `svc ${service.version}, up ${ageText(service.uptime_ms)}` : ''
  return (
    <FieldsTab
      {...props}
      {...{ live, summary, acts, bindings: FIELD_KEYS, fields: OVERVIEW_FIELDS }}
      record={live.content && overviewRecord(live.content)}
    />
  )
}
