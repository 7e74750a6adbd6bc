import { ServiceError } from '../errors/index.js'
import type { OrderUpdate } from '../events/index.js'
import type { Logger } from '../logging/index.js'
import { randomHex, randomToken, type SecretBox } from '../secrets/index.js'
import { type Database, SerialQueue, type Tx } from '../storage/index.js'
import { type Clock, Pace } from '../time/index.js'
import type { TradingMode } from '../trading/index.js'
import { Activation, type ActivationParts } from './activation.js'
import type { OrderPlanner } from './engine/dry-run.js'
import { type ExecutionEvent, Executor, type RunReply } from './engine/executor.js'
import { RunRetention } from './engine/retention.js'
import { SingleRuns, type UnsavedRun } from './engine/single-runs.js'
import type { RunOutcome } from './engine/walk.js'
import { type ApplyRequest, applyFiles, planFiles } from './gitops.js'
import { type ContentPatch, contentWith, documentContent, importedName } from './graph/content.js'
import type { Body, FlowPorts } from './ports.js'
import { AUTH_TYPES, type Workflow, type WorkflowContent } from './schema.js'
import { FlowSecrets } from './secrets.js'
import { type ExecutionRow, FlowStore, type RunQuery, type VersionRow } from './store.js'
import { WebhookKeyStore } from './webhook/key-store.js'
import { type StartRun, WebhookKeys, type WebhookReply } from './webhook/keys.js'
import { requireOpen } from './webhook/webhooks.js'
import { type Caller, requireKey, WorkflowActivator } from './workflow-activator.js'
import { contentOf, Workflows } from './workflows.js'

const SECRET_BYTES = 32
/** The runs with their logs that are read at once. */
const RUNS_A_READ = 5
/** The workflow files that are checked, compared or changed in one turn of the event loop, if they are small. */
const FILES_A_TURN = 20

interface FlowsParts {
  db: Database
  box: SecretBox
  clock: Clock
  log: Logger
  ports: FlowPorts
  /** Creates the planner for the orders of one dry run. */
  planner(): OrderPlanner
  /** Returns the trading mode of now. */
  mode(): TradingMode
  env: Readonly<Record<string, string | undefined>>
  prices: ActivationParts['prices']
  pin: ActivationParts['pin']
  verifyKey(apiKey: string): Promise<string | undefined>
  keepRuns: number
  keepDays: number
  publish(event: ExecutionEvent): void
  /** Receives the full outcome of each run; `svc flow test` uses it. */
  onRun?(outcome: RunOutcome): void
}

/** The workflows: stores them with their versions, activates their triggers and runs them. */
export class Flows {
  readonly workflows: Workflows
  readonly executor: Executor
  readonly secrets: FlowSecrets
  readonly #parts: FlowsParts
  readonly #store: FlowStore
  readonly #activation: Activation
  readonly #activator: WorkflowActivator
  readonly #retention: RunRetention
  /**
   * Runs changes of workflows one after the other, so that registered triggers match the stored workflows.
   */
  readonly #changes = new SerialQueue()
  readonly #singleRuns: SingleRuns
  readonly #webhookKeys: WebhookKeys

  private constructor(
    parts: FlowsParts,
    store: FlowStore,
    workflows: Workflows,
    executor: Executor,
    secrets: FlowSecrets,
    retention: RunRetention,
    webhookKeys: WebhookKeys,
  ) {
    this.#parts = parts
    this.#store = store
    this.workflows = workflows
    this.executor = executor
    this.secrets = secrets
    this.#retention = retention
    this.#webhookKeys = webhookKeys
    const { clock, log, mode, pin, planner, ports, prices } = parts
    this.#singleRuns = new SingleRuns({ log, mode, planner, ports, secrets })
    this.#activation = new Activation({
      clock,
      log,
      calendar: ports.calendar,
      workflows,
      executor,
      store,
      prices,
      pin,
      keyOf: (workflow) => this.#keyOf(workflow),
      userOf: parts.verifyKey,
      inTurn: (change) => this.#changes.run(change),
    })
    this.#activator = new WorkflowActivator({ ...parts, workflows, activation: this.#activation, executor })
  }

  /** Loads the stored workflows and settles interrupted runs. {@link start} registers the triggers. */
  static async open(parts: FlowsParts): Promise<Flows> {
    const { box, clock, db, env } = parts
    const store = await FlowStore.open(db)
    const [workflows, secrets] = await Promise.all([
      Workflows.open(store, clock, box),
      FlowSecrets.open({ store, box, clock, env }),
    ])
    const retention = new RunRetention({ ...parts, store })
    const executor = await Executor.open({
      ...parts,
      store,
      secret: (kind, name) => secrets.read(kind, name),
      onEnd: (workflowId, outcome) => {
        retention.runEnded(workflowId)
        parts.onRun?.(outcome)
      },
    })
    // After the executor has marked the runs that a crash cut off.
    const webhookKeys = await WebhookKeys.open(new WebhookKeyStore(db), clock)
    return new Flows(parts, store, workflows, executor, secrets, retention, webhookKeys)
  }

  async start(): Promise<void> {
    await this.#activation.start()
    // Nothing waits for the removal of old runs.
    void this.#retention.start(() => this.workflows.list().map(({ id }) => id))
  }

  async stop(): Promise<void> {
    this.#activation.stop()
    this.#retention.stop()
    this.#webhookKeys.stop()
    await Promise.all([this.executor.stop(), this.#singleRuns.stop()])
  }

  onOrderUpdate(event: OrderUpdate): void {
    this.#activation.onOrderUpdate(event)
  }

  nextRun(id: number): number | undefined {
    return this.#activation.nextRun(id)
  }

  monitorStatus() {
    return this.#activation.status()
  }

  /** @throws ServiceError `validation` with the problems of the graph */
  create(patch: ContentPatch, by: string): Promise<Workflow> {
    const content = contentWith(
      { name: 'Untitled Workflow', description: null, graph: { nodes: [], edges: [] } },
      patch,
    )
    return this.#changes.run(() => this.workflows.create(content, { by, origin: 'edit' }))
  }

  /**
   * Changes the given fields. If the trigger of an active workflow changed, registers the new one, or
   * deactivates the workflow.
   */
  update(
    id: number,
    patch: ContentPatch,
    caller: Caller,
  ): Promise<{ workflow: Workflow; needsReactivate: boolean }> {
    return this.#changes.run(() => {
      const before = this.workflows.get(id)
      return this.#activator.put(
        before,
        contentWith(before, patch),
        { by: caller.username, origin: 'edit' },
        caller,
      )
    })
  }

  /** Imports a document as a new, inactive workflow. @throws ServiceError `validation` */
  importNew(document: ContentPatch, by: string): Promise<{ workflow: Workflow; migrations: string[] }> {
    const { content, migrations } = documentContent(document, undefined)
    const named = { ...content, name: importedName(content.name) }
    return this.#changes.run(async () => ({
      workflow: await this.workflows.create(named, { by, origin: 'import' }),
      migrations,
    }))
  }

  /** Replaces a workflow's content with a document. Its webhook, API key and history stay. */
  replace(id: number, document: ContentPatch, caller: Caller) {
    return this.#changes.run(async () => {
      const before = this.workflows.get(id)
      const { content, migrations } = documentContent(document, before)
      const put = await this.#activator.put(
        before,
        content,
        { by: caller.username, origin: 'replace' },
        caller,
      )
      return { ...put, migrations }
    })
  }

  /**
   * Cancels a running run, unregisters the trigger and removes the workflow with its history.
   * @throws ServiceError `conflict` if its version is not the expected one
   */
  remove(id: number, expect?: number): Promise<void> {
    return this.#changes.run(async () => {
      this.#expected(id, expect)
      await this.#activator.discard([id])
    })
  }

  /**
   * Activates a workflow. @returns the type of its trigger, or undefined if it was already active
   * @throws ServiceError `conflict` if its version is not the expected one
   */
  activate(id: number, caller: Caller, expect?: number): Promise<string | undefined> {
    return this.#changes.run(async () => {
      this.#expected(id, expect)
      return this.#activator.activate(id, caller)
    })
  }

  /** Returns a workflow in its turn to change. @throws ServiceError `not_found`, `conflict` if it has another version */
  #expected(id: number, expect: number | undefined): Workflow {
    const workflow = this.workflows.get(id)
    const { version } = workflow
    if (expect === undefined || version === expect) return workflow
    throw new ServiceError(
      'conflict',
      `Nothing was changed: the workflow has version ${version}, not ${expect}`,
    )
  }

  /** Deactivates a workflow. @returns whether it was active */
  deactivate(id: number): Promise<boolean> {
    return this.#changes.run(() => this.#activator.deactivate(id))
  }

  /** Returns whether the market hours of its schedule allow a workflow to run now. */
  isOpenFor(workflow: Workflow): boolean {
    return this.#activation.isOpenFor(workflow)
  }

  /**
   * Runs the current version of a workflow with the caller's API key.
   * @param onlyMode the only mode in which its orders may be sent; absent for the mode of now
   * @throws ServiceError `not_found`, `validation`
   */
  execute(id: number, caller: Caller, onlyMode?: TradingMode): Promise<RunReply> {
    const workflow = this.workflows.get(id)
    requireKey(caller)
    return this.executor.run(workflow, { trigger: 'manual', apiKey: () => caller.apiKey, onlyMode })
  }

  /**
   * Runs a workflow for its webhook, with its own API key or the one of the environment. Under a key of the
   * caller it runs once; a repeat gets the first result.
   *
   * @throws ServiceError `not_found`, `forbidden` if the workflow was deleted, deactivated or closed since the call came
   */
  executeFromWebhook(
    workflow: Workflow,
    {
      payload,
      key,
      fallbackKey,
    }: { payload: Body; key: string | undefined; fallbackKey: string | undefined },
  ): Promise<WebhookReply> {
    const { id: workflowId, name: workflowName } = workflow
    const start: StartRun = async (claim) => {
      // Somebody may have changed the workflow while its key was looked up.
      const current = requireOpen(this.workflows.find(workflowId))
      const apiKey = () => this.#keyOf(current) ?? fallbackKey
      if (apiKey() === undefined) {
        const error = 'No API key configured for workflow execution. Please re-activate the workflow.'
        throw new ServiceError('internal', error, { extra: { error } })
      }
      return this.executor.run(current, { trigger: 'webhook', apiKey, payload, claim })
    }
    return this.#webhookKeys.run({ workflowId, workflowName, key, payload }, start)
  }

  /**
   * Runs a graph that is not stored, once: no row, no history. A dry run plans its orders and sends nothing. The graph
   * must pass the checks of an activation.
   *
   * @throws ServiceError `validation` with the problems of the graph
   */
  runOnce(request: UnsavedRun, caller: Caller): Promise<RunOutcome> {
    return this.#singleRuns.run(request, caller.username)
  }

  /** Yields the newest runs of a workflow, of those that the query names. Their logs may be long, so few are in memory. */
  async *executions(id: number, limit: number, query: RunQuery = {}): AsyncGenerator<ExecutionRow> {
    let { before } = query
    for (let left = limit; left > 0; left -= RUNS_A_READ) {
      const rows = await this.#store.executions(id, Math.min(left, RUNS_A_READ), { ...query, before })
      for (const row of rows) yield this.executor.unstoredEnd(row.id) ?? row
      before = rows.at(-1)?.id
      if (rows.length < RUNS_A_READ) return
    }
  }

  /** @throws ServiceError `not_found` */
  async execution(executionId: number): Promise<ExecutionRow> {
    const row = this.executor.unstoredEnd(executionId) ?? (await this.#store.execution(executionId))
    if (!row)
      throw new ServiceError('not_found', 'Execution not found', { extra: { error: 'Execution not found' } })
    return row
  }

  versions(id: number) {
    this.workflows.get(id)
    return this.#store.versions(id)
  }

  /** Returns the content of a version. @throws ServiceError `not_found` */
  async contentOfVersion(id: number, version: number): Promise<WorkflowContent> {
    return contentOf(await this.#version(id, version))
  }

  async #version(id: number, version: number): Promise<VersionRow> {
    this.workflows.get(id)
    const row = await this.#store.version(id, version)
    if (!row) throw new ServiceError('not_found', `Workflow ${id} has no version ${version}`)
    return row
  }

  /**
   * Restores the content of an earlier version as a new version.
   * @throws ServiceError `not_found`, `conflict` if the current version is not the expected one
   */
  rollback(id: number, version: number, caller: Caller, expect?: number) {
    return this.#changes.run(async () => {
      const before = this.#expected(id, expect)
      const row = await this.#version(id, version)
      const { file, commit } = row
      const source = {
        by: caller.username,
        origin: 'rollback' as const,
        file: file ?? undefined,
        commit: commit ?? undefined,
      }
      return this.#activator.put(before, contentOf(row), source, caller)
    })
  }

  /**
   * Switches the webhook on or off, or changes how it authenticates. @throws ServiceError `not_found`,
   * `validation`
   */
  setWebhook(id: number, change: { enabled?: boolean; authType?: unknown }): Promise<Workflow> {
    return this.#changes.run(async () => {
      this.workflows.get(id)
      const { enabled, authType } = change
      const known = AUTH_TYPES.find((type) => type === authType)
      if (authType !== undefined && known === undefined) {
        throw new ServiceError('validation', 'Invalid auth type', { extra: { error: 'Invalid auth type' } })
      }
      return this.workflows.setState(id, {
        ...(enabled !== undefined && { webhookEnabled: enabled }),
        ...(known !== undefined && { webhookAuthType: known }),
      })
    })
  }

  /** Creates new webhook secrets. The old ones stop working at once. */
  rotateWebhook(id: number, what: 'both' | 'secret'): Promise<Workflow> {
    return this.#changes.run(async () => {
      this.workflows.get(id)
      return this.workflows.setState(id, {
        webhookSecret: randomHex(SECRET_BYTES),
        ...(what === 'both' && { webhookToken: randomToken(SECRET_BYTES) }),
      })
    })
  }

  /**
   * Stores the user's new API key together with the copies that workflows run with, so that no active
   * workflow is left with a key that is no longer valid. `store` commits both in one transaction.
   */
  rekey<T>(apiKey: string, store: (write: (tx: Tx) => Promise<void>) => Promise<T>): Promise<T> {
    return this.#changes.run(() => this.workflows.rekey(apiKey, store))
  }

  async plan(request: ApplyRequest, caller: Caller) {
    return planFiles(await this.#planSources(caller), request, {
      assertArmable: (graph) => this.#activator.check(graph, caller),
    })
  }

  /** Applies workflow files to the stored workflows. Each workflow changes completely or not at all. */
  apply(request: ApplyRequest, caller: Caller) {
    return this.#changes.run(async () =>
      applyFiles(await this.#planSources(caller), request, {
        put: (workflow, content, source, state) =>
          this.#activator.put(workflow, content, source, caller, state),
        activate: (id) => this.#activator.activate(id, caller),
        assertArmable: (graph) => this.#activator.check(graph, caller),
        discard: (ids) => this.#activator.discard(ids),
      }),
    )
  }

  async #planSources({ username }: Caller) {
    const versions = (await this.#store.currentVersions()).map((one) => [one.workflowId, one] as const)
    const pace = new Pace(this.#parts.clock, FILES_A_TURN)
    return { workflows: this.workflows, versions: new Map(versions), by: username, pace }
  }

  /** Returns the API key that a workflow has now, which may be newer than the given state of it. */
  #keyOf(workflow: Workflow): string | undefined {
    const { sealedKey } = this.workflows.find(workflow.id) ?? workflow
    return sealedKey === null ? undefined : this.#parts.box.open(sealedKey)
  }
}
