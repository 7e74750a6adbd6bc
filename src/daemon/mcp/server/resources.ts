import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Toolset } from '../../../core/config/index.js'
import { exportView, workflowRow } from '../../../core/flows/index.js'
import type { RunningService } from '../../daemon.js'
import type { KnownOperationName } from '../../operations/types.js'
import { PACKAGE_ROOT } from '../../version.js'
import type { McpCaller } from '../calls/caller.js'
import { RpcError } from '../calls/errors.js'
import type { ToolCalls } from '../calls/tool-calls.js'
import type { ToolContext } from '../tools/index.js'

interface Resource {
  /** The group of tools that tell the same: where it is left out, so is the resource. */
  toolset: Toolset
  uri: string
  name: string
  description: string
  read(context: ToolContext, username: string): Promise<object>
}

const SCOPE = 'read:account'
const WORKFLOWS: Toolset = 'account'
const QUEUED = 100
const DOCS = 'svc://docs/'
const WORKFLOW = /^svc:\/\/workflows\/(\d{1,9})$/
const PAGE = /^[a-z][a-z-]{0,60}$/

const book = (name: string, operation: KnownOperationName, description: string): Resource => ({
  toolset: 'account',
  uri: `svc://books/${name}`,
  name,
  description,
  read: (context) => context.ask(operation, {}),
})

/** What an assistant can read beside its tools: the books, the approval queue, the workflows, the documentation. */
export class Resources {
  readonly #resources: readonly Resource[]

  constructor(
    private readonly service: Pick<RunningService, 'approvals' | 'clock' | 'flows'>,
    private readonly calls: Pick<ToolCalls, 'offers' | 'read'>,
  ) {
    this.#resources = [
      book('orders', 'POST /api/v1/orderbook', 'The orders of today.'),
      book('trades', 'POST /api/v1/tradebook', 'The trades of today.'),
      book('positions', 'POST /api/v1/positionbook', 'The positions.'),
      book('holdings', 'POST /api/v1/holdings', 'The holdings.'),
      book('funds', 'POST /api/v1/funds', 'The funds.'),
      {
        toolset: 'orders',
        uri: 'svc://queue',
        name: 'queue',
        description: 'The orders that wait for a person to approve them, newest first.',
        read: (_desk, username) => service.approvals.list(username, { status: 'pending', limit: QUEUED }),
      },
      {
        toolset: WORKFLOWS,
        uri: 'svc://workflows',
        name: 'workflows',
        description: 'The workflows with their state.',
        read: async () => ({ workflows: this.#workflows() }),
      },
    ]
  }

  /** Returns the resources that a caller may read. */
  async list(caller: McpCaller) {
    const own = this.#resources.filter(({ toolset }) => this.#has(caller, toolset))
    const shown = own.map(({ uri, name, description }) => ({ uri, name, description, mimeType: JSON_TYPE }))
    return [...shown, ...(await pages())]
  }

  templates(caller: McpCaller) {
    if (!this.#has(caller, WORKFLOWS)) return []
    const description = 'One workflow as a document, without its secrets.'
    return [{ uriTemplate: 'svc://workflows/{id}', name: 'workflow', description, mimeType: JSON_TYPE }]
  }

  /** @throws RpcError for an address that names nothing, and as {@link ToolCalls.read} */
  async read(caller: McpCaller, uri: string) {
    const text = uri.startsWith(DOCS) ? await pageOf(uri) : undefined
    if (text !== undefined) return { contents: [{ uri, mimeType: MARKDOWN, text }] }
    const found = this.#find(uri)
    if (!found || !this.calls.offers(caller, found.toolset))
      throw new RpcError(-32002, 'Resource not found', { uri: uri.slice(0, 200) })
    const read = (context: ToolContext) => found.read(context, caller.principal.username)
    return {
      contents: [
        { uri, mimeType: JSON_TYPE, text: await this.calls.read(caller, { uri, scope: SCOPE, read }) },
      ],
    }
  }

  #has(caller: McpCaller, toolset: Toolset): boolean {
    return caller.scopes.has(SCOPE) && this.calls.offers(caller, toolset)
  }

  #find(uri: string): Pick<Resource, 'read' | 'toolset'> | undefined {
    const id = WORKFLOW.exec(uri)?.[1]
    if (id === undefined) return this.#resources.find((one) => one.uri === uri)
    const { clock, flows } = this.service
    const read = async () => exportView(flows.workflows.get(Number(id)), clock.now())
    return { toolset: WORKFLOWS, read }
  }

  #workflows() {
    const { flows } = this.service
    return flows.workflows.list().map((workflow) =>
      workflowRow(workflow, {
        lastRun: flows.executor.lastRun(workflow.id),
        nextRun: flows.nextRun(workflow.id),
      }),
    )
  }
}

const JSON_TYPE = 'application/json'
const MARKDOWN = 'text/markdown'
const FOLDER = join(PACKAGE_ROOT, 'docs')

/** Returns the pages of the documentation that the package has. */
async function pages() {
  const files = await readdir(FOLDER).catch(() => [])
  return files
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => file.slice(0, -'.md'.length))
    .map((name) => ({
      uri: DOCS + name,
      name: `docs/${name}`,
      description: `The page docs/${name}.md of the documentation.`,
      mimeType: MARKDOWN,
    }))
}

/** Returns the text of a page; undefined if there is none of this name. */
async function pageOf(uri: string): Promise<string | undefined> {
  const name = uri.slice(DOCS.length)
  if (!PAGE.test(name)) return undefined
  return readFile(join(FOLDER, `${name}.md`), 'utf8').catch(() => undefined)
}
