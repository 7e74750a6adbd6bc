import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'
import type { FlowGraph } from '../../../src/core/flows/graph/graph.js'
import { flows } from '../../../src/tui/flows/screen.js'
import type { ScreenProps } from '../../../src/tui/screen/screen.js'
import type { DeskOptions } from '../../support/desk/desk.js'
import { eventually } from '../../support/eventually.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

/** An address at which nobody listens. */
const NOBODY = 'http://127.0.0.1:1'

/** A daemon with workflows. */
export async function flowDesk(options: DeskOptions & { live?: boolean } = {}) {
  const desk = await liveDesk(options)
  const { service, clock } = desk.http.desk
  if (!options.live) {
    await service.sandbox.start()
    await service.settings.setAnalyzeMode(true)
  }
  const create = async (graph: FlowGraph, name: string) => {
    const { nodes, edges } = graph
    const { id } = await desk.client.request('POST /flow/api/workflows', { body: { name, nodes, edges } })
    return id
  }
  const runs = (id: number) =>
    desk.client.request('GET /flow/api/workflows/:id/executions', { params: { id: String(id) } })
  let isDown = false
  const access: DaemonAccess = {
    client: (timeoutMs) =>
      isDown ? new SvcClient({ url: NOBODY, timeoutMs }) : desk.access.client(timeoutMs),
  }
  return {
    ...desk,
    clock,
    access,
    /** Lets nobody answer from now on. */
    down: () => {
      isDown = true
    },
    create,
    runs,
    /** Stores and activates a workflow. */
    async arm(graph: FlowGraph, name: string) {
      const id = await create(graph, name)
      await desk.client.request('POST /flow/api/workflows/:id/activate', { params: { id: String(id) } })
      return id
    },
    async execute(id: number) {
      return desk.client.request('POST /flow/api/workflows/:id/execute', { params: { id: String(id) } })
    },
    /** Waits until a workflow has a run of a status. */
    ran: (id: number, status: string) => eventually(async () => (await runs(id))[0]?.status === status),
    show: (props: Partial<ScreenProps> = {}) =>
      shown(access, <flows.View width={80} height={21} {...props} />),
  }
}
