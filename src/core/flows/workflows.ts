import { ServiceError } from '../errors/index.js'
import { randomHex, randomToken, type SecretBox } from '../secrets/index.js'
import type { Tx } from '../storage/index.js'
import { type Clock, nextTurn } from '../time/index.js'
import { contentHash } from './files/index.js'
import type { MayHaveRun } from './restored.js'
import {
  AUTH_TYPES,
  type AuthType,
  type ChangeSource,
  type Workflow,
  type WorkflowContent,
} from './schema.js'
import type { FlowStore, NewWorkflowRow, VersionRow, WorkflowRow } from './store.js'

const TOKEN_BYTES = 32
const SECRET_BYTES = 32

/** Fields of a workflow besides its content. */
type WorkflowState = Partial<
  Pick<
    Workflow,
    | 'isActive'
    | 'scheduleJobId'
    | 'sealedKey'
    | 'activatedAt'
    | 'webhookToken'
    | 'webhookSecret'
    | 'webhookEnabled'
    | 'webhookAuthType'
    | 'fileKey'
    | 'appliedHash'
  >
>

/**
 * All workflows, cached in memory. Every change reaches the database first, so reads return only durable
 * data; {@link holdBack} is the exception. Every change of content makes a version.
 */
export class Workflows {
  readonly #byId = new Map<number, Workflow>()
  readonly #byToken = new Map<string, Workflow>()
  readonly #byFile = new Map<string, Workflow>()

  private constructor(
    private readonly store: FlowStore,
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  static async open(store: FlowStore, clock: Clock, box: SecretBox): Promise<Workflows> {
    const workflows = new Workflows(store, clock, box)
    for (const row of await store.workflows()) workflows.#keep(workflows.#workflowOf(row))
    return workflows
  }

  #workflowOf({ nodes, edges, apiKey, webhookAuthType, webhookSecret, ...row }: WorkflowRow): Workflow {
    return {
      ...row,
      graph: { nodes: JSON.parse(nodes), edges: JSON.parse(edges) },
      sealedKey: apiKey,
      webhookAuthType: authTypeOf(webhookAuthType),
      // A secret that cannot be opened matches no call, because an empty secret is never accepted.
      webhookSecret: this.box.open(webhookSecret) ?? '',
    }
  }

  #columnsOf({ sealedKey, webhookSecret, ...state }: WorkflowState): Partial<NewWorkflowRow> {
    return {
      ...state,
      ...(sealedKey !== undefined && { apiKey: sealedKey }),
      ...(webhookSecret !== undefined && { webhookSecret: this.box.seal(webhookSecret) }),
    }
  }

  /** Returns all workflows, the newest change first. */
  list(): Workflow[] {
    return [...this.#byId.values()].sort((a, b) => b.updatedAt - a.updatedAt || b.id - a.id)
  }

  find(id: number): Workflow | undefined {
    return this.#byId.get(id)
  }

  /** @throws ServiceError `not_found` */
  get(id: number): Workflow {
    const workflow = this.#byId.get(id)
    if (!workflow) throw workflowNotFound()
    return workflow
  }

  byToken(token: string): Workflow | undefined {
    return this.#byToken.get(token)
  }

  byFile(key: string): Workflow | undefined {
    return this.#byFile.get(key)
  }

  /** Stores a new, inactive workflow with a webhook of its own that is switched off. */
  async create(content: WorkflowContent, source: ChangeSource, state: WorkflowState = {}): Promise<Workflow> {
    const hash = await hashInTurn(content)
    const now = this.clock.now()
    const row: NewWorkflowRow = {
      name: content.name,
      description: content.description,
      nodes: JSON.stringify(content.graph.nodes),
      edges: JSON.stringify(content.graph.edges),
      webhookToken: randomToken(TOKEN_BYTES),
      webhookSecret: this.box.seal(randomHex(SECRET_BYTES)),
      contentHash: hash,
      createdAt: now,
      updatedAt: now,
      ...this.#columnsOf(state),
    }
    const version = versionOf(content, source, { version: 1, at: now, hash })
    const stored = await this.store.write((tx) => this.store.insertIn(tx, row, version))
    return this.#keep(this.#workflowOf(stored))
  }

  /**
   * Changes content and state together. Unchanged content makes no version. @throws ServiceError `not_found`
   */
  async change(
    id: number,
    content: WorkflowContent,
    source: ChangeSource,
    state: WorkflowState = {},
  ): Promise<Workflow> {
    const hash = await hashInTurn(content)
    const before = this.get(id)
    const now = this.clock.now()
    const isNew = hash !== before.contentHash
    const version = before.version + (isNew ? 1 : 0)
    const changed = { contentHash: hash, version, updatedAt: now }
    const columns: Partial<NewWorkflowRow> = {
      name: content.name,
      description: content.description,
      nodes: JSON.stringify(content.graph.nodes),
      edges: JSON.stringify(content.graph.edges),
      ...changed,
      ...this.#columnsOf(state),
    }
    const row = isNew
      ? { ...versionOf(content, source, { version, at: now, hash }), workflowId: id }
      : undefined
    await this.store.write((tx) => this.store.updateIn(tx, id, columns, row))
    return this.#keep({ ...this.get(id), ...content, ...changed, ...state })
  }

  /** Changes fields besides the content. @throws ServiceError `not_found` */
  async setState(id: number, state: WorkflowState): Promise<Workflow> {
    this.get(id)
    const updatedAt = this.clock.now()
    await this.store.update(id, { ...this.#columnsOf(state), updatedAt })
    return this.#keep({ ...this.get(id), ...state, updatedAt })
  }

  /**
   * Replaces the API key of every workflow that has one, in the transaction of `store`. `updatedAt` stays,
   * because the user changed nothing.
   */
  async rekey<T>(apiKey: string, store: (write: (tx: Tx) => Promise<void>) => Promise<T>): Promise<T> {
    const keyed = this.list().filter(({ sealedKey }) => sealedKey !== null)
    const sealedKey = this.box.seal(apiKey)
    const stored = await store(async (tx) => {
      for (const { id } of keyed) await this.store.updateIn(tx, id, this.#columnsOf({ sealedKey }))
    })
    for (const { id } of keyed) this.#keep({ ...this.get(id), sealedKey })
    return stored
  }

  /** Claims a schedule instant. Of several attempts, only one returns true. */
  async claimInstant(id: number, scheduledFor: number): Promise<boolean> {
    const claimed = await this.store.claimInstant(id, scheduledFor, this.clock.now())
    const workflow = this.#byId.get(id)
    if (claimed && workflow) this.#keep({ ...workflow, lastScheduledAt: scheduledFor })
    return claimed
  }

  /**
   * Deactivates the workflows of a restored home that may repeat themselves, and counts the times of the schedules until
   * now as handled: a run that is made up for could be a second one. This process keeps to it also when the disk refuses to
   * store it. Call it before the triggers are registered.
   */
  async holdBack({ repeatable, scheduled }: MayHaveRun): Promise<void> {
    const now = this.clock.now()
    const inactive = { isActive: false, scheduleJobId: null, updatedAt: now }
    const changes = [
      ...repeatable.map((id) => ({ id, change: inactive })),
      ...scheduled.map((id) => ({ id, change: { lastScheduledAt: now } })),
    ]
    for (const { change, id } of changes) this.#keep({ ...this.get(id), ...change })
    await this.store.write(async (tx) => {
      for (const { change, id } of changes) await this.store.updateIn(tx, id, change)
    })
  }

  /** Removes workflows with their runs and versions, all or none. */
  async remove(ids: readonly number[]): Promise<void> {
    await this.store.write(async (tx: Tx) => {
      for (const id of ids) await this.store.removeIn(tx, id)
    })
    for (const id of ids) {
      const workflow = this.#byId.get(id)
      if (!workflow) continue
      this.#byId.delete(id)
      this.#byToken.delete(workflow.webhookToken)
      if (workflow.fileKey !== null) this.#byFile.delete(workflow.fileKey)
    }
  }

  #keep(workflow: Workflow): Workflow {
    const before = this.#byId.get(workflow.id)
    if (before && before.webhookToken !== workflow.webhookToken) this.#byToken.delete(before.webhookToken)
    if (before?.fileKey && before.fileKey !== workflow.fileKey) this.#byFile.delete(before.fileKey)
    this.#byId.set(workflow.id, workflow)
    this.#byToken.set(workflow.webhookToken, workflow)
    if (workflow.fileKey !== null) this.#byFile.set(workflow.fileKey, workflow)
    return workflow
  }
}

/** Returns the hash of a content. That of a long document takes a turn of the event loop of its own. */
async function hashInTurn(content: WorkflowContent): Promise<string> {
  await nextTurn()
  const hash = contentHash(content)
  await nextTurn()
  return hash
}

function workflowNotFound(): ServiceError {
  return new ServiceError('not_found', 'Workflow not found', { extra: { error: 'Workflow not found' } })
}

function versionOf(
  { name, description, graph }: WorkflowContent,
  { by, origin, file, commit }: ChangeSource,
  { version, at, hash }: { version: number; at: number; hash: string },
): Omit<VersionRow, 'workflowId'> {
  return {
    version,
    at,
    by,
    origin,
    file: file ?? null,
    commit: commit ?? null,
    contentHash: hash,
    name,
    description,
    nodes: JSON.stringify(graph.nodes),
    edges: JSON.stringify(graph.edges),
  }
}

/** Returns the content of a version. */
export function contentOf({ name, description, nodes, edges }: VersionRow): WorkflowContent {
  return { name, description, graph: { nodes: JSON.parse(nodes), edges: JSON.parse(edges) } }
}

function authTypeOf(text: string): AuthType {
  return AUTH_TYPES.find((known) => known === text) ?? 'payload'
}
