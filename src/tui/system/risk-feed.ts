import type { RouteAnswer, SvcClient } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, READ_SELDOM } from '../live/feed.js'

export type Risk = RouteAnswer<'GET /risk'>['data']

/** The limits that every order is checked against, and the kill switch. */
export class RiskFeed extends Feed<Risk | undefined> {
  constructor(daemon: LiveDaemon) {
    const read = async (client: SvcClient) => (await client.request('GET /risk', {})).data
    const isChangedBy = ({ event }: { event: string }) => event === 'kill_switch'
    super(daemon, { ...READ_SELDOM, read, isChangedBy }, undefined)
  }
}
