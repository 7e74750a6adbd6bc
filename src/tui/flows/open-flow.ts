import { type ClientEvent, type RouteAnswer, type SvcClient, SvcError } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { drawingOf, findingLines, workflowOf } from '../../views/flows/drawing.js'
import { masked } from '../../views/text/masked.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'

type Shown = RouteAnswer<'GET /flow/api/workflows/:id'>
export type Run = RouteAnswer<'GET /flow/api/executions/:id'>

/** A workflow, its runs and its picture, without the secrets of its webhook. */
export interface OpenFlow {
  id: number
  workflow: Omit<Shown, 'webhook_token' | 'webhook_secret'>
  /** The address of its webhook with a masked token; undefined without the right to see it. */
  webhookUrl: string | undefined
  /** Newest first. */
  runs: readonly Run[]
  /** Returns the lines of its graph. */
  draw(width: number): readonly string[]
}

const NEWEST_RUNS = 20

/** The workflow that is open, live. */
export class OpenFlowFeed extends Feed<OpenFlow | undefined> {
  readonly #reader: Reader

  constructor(daemon: LiveDaemon, reader = new Reader()) {
    super(daemon, reader, undefined)
    this.#reader = reader
  }

  /** Reads this workflow from now on. */
  choose(id: number): void {
    if (this.#reader.chosen === id) return
    this.#reader.chosen = id
    void this.refresh()
  }
}

class Reader implements Source<OpenFlow | undefined> {
  chosen: number | undefined
  readonly pauseMs = 5000
  readonly gatherMs = 500

  isChangedBy({ event, data }: ClientEvent): boolean {
    return event === 'flow_execution' && data.workflow_id === this.chosen
  }

  async read(client: SvcClient): Promise<OpenFlow | undefined> {
    const id = this.chosen
    if (id === undefined) return undefined
    const params = { id: String(id) }
    const [shown, runs] = await Promise.all([
      client.request('GET /flow/api/workflows/:id', { params }),
      client.request('GET /flow/api/workflows/:id/executions', {
        params,
        query: { limit: String(NEWEST_RUNS) },
      }),
    ])
    const { webhook_token: _token, webhook_secret: _secret, ...workflow } = shown
    return { id, workflow, runs, webhookUrl: await webhookUrl(client, shown), draw: await drawn(shown) }
  }
}

/** The address itself is a credential. */
async function webhookUrl(
  client: SvcClient,
  { id, nodes, webhook_enabled }: Shown,
): Promise<string | undefined> {
  if (!webhook_enabled && !nodes.some(({ type }) => type === 'webhookTrigger')) return undefined
  try {
    const { webhook_url, webhook_token } = await client.request('GET /flow/api/workflows/:id/webhook', {
      params: { id: String(id) },
    })
    return webhook_url.replaceAll(webhook_token, masked(webhook_token))
  } catch (thrown) {
    if (thrown instanceof SvcError) return undefined
    throw thrown
  }
}

/** A draft that cannot be drawn shows the reasons. */
async function drawn(shown: Shown): Promise<OpenFlow['draw']> {
  if (shown.nodes.length === 0) return () => ['The workflow has no nodes.']
  try {
    const read = await workflowOf(shown)
    if (!read.ok) return undrawable(await findingLines(read.findings))
    return (await drawingOf(read.value)).tree
  } catch (thrown) {
    return undrawable(messageOf(thrown).split('\n'))
  }
}

function undrawable(reasons: readonly string[]): OpenFlow['draw'] {
  const lines = ['The graph cannot be drawn:', ...reasons]
  return () => lines
}
