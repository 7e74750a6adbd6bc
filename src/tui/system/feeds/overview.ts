import { type RouteAnswer, type SvcClient, SvcError } from '../../../client/index.js'
import type { Desk } from '../../live/desk.js'
import { Feed } from '../../live/feed.js'

type Service = RouteAnswer<'GET /status'>['data']
type Broker = RouteAnswer<'GET /broker/status'>['data']
type Installation = RouteAnswer<'GET /admin/api/system'>['data']

export interface Overview {
  service: Service
  broker: Broker
  /** Undefined for a token without the scope for it. */
  installation: Installation | undefined
}

const CHANGES: ReadonlySet<string> = new Set([
  'kill_switch',
  'master_contract_download',
  'order_in_doubt',
  'backup_failed',
])

/** The state of the service, its broker and its installation. */
export class OverviewFeed extends Feed<Overview | undefined> {
  constructor(desk: Desk) {
    const source = {
      read: readOverview,
      pauseMs: 5000,
      gatherMs: 250,
      isChangedBy: ({ event }: { event: string }) => CHANGES.has(event),
    }
    super(desk, source, undefined)
  }
}

/** The installation stays as it is while the daemon runs, so it is read once. */
async function readOverview(client: SvcClient, before: Overview | undefined): Promise<Overview> {
  const [{ data: service }, { data: broker }, installation] = await Promise.all([
    client.request('GET /status', {}),
    client.request('GET /broker/status', {}),
    before?.installation ?? readInstallation(client),
  ])
  return { service, broker, installation }
}

async function readInstallation(client: SvcClient): Promise<Installation | undefined> {
  try {
    return (await client.request('GET /admin/api/system', {})).data
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.status === 403) return undefined
    throw thrown
  }
}
