import { existsSync, renameSync, rmSync } from 'node:fs'
import type { Column } from '../../../views/table/column.js'
import {
  type Contexts,
  changeContexts,
  contextFolder,
  daemonNamed,
  readContexts,
} from '../../contexts/file.js'
import { LOCAL, newName } from '../../contexts/words.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { readSecret, type SecretFile, storeSecret } from '../../io/home.js'
import { add } from './add.js'
import { CONTEXT_FIELDS } from './columns.js'
import { status } from './status.js'

const SECRETS: readonly SecretFile[] = ['session.json', 'token.json', 'apikey.json']

const LIST_COLUMNS = [
  { key: 'name' },
  { key: 'current' },
  { key: 'url' },
  { key: 'signed_in', title: 'SIGNED IN' },
  { key: 'api_key', title: 'API KEY' },
  { key: 'color', leaves: 1 },
  { key: 'id', wide: true },
] as const satisfies readonly Column[]

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the contexts: which one a command uses now, and whether a credential is stored for each.',
  examples: ['context list', 'context list -q', 'context list -o wide'],
  columns: LIST_COLUMNS,
  async run(context) {
    const { daemons } = readContexts(context.io)
    const { context: used, source } = context.target
    const current = source === 'named' ? undefined : (used?.name ?? LOCAL)
    const rows = [LOCAL, ...daemons.keys()].map((name) => {
      const one = context.in(name)
      const { target } = one
      return {
        name,
        current: name === current,
        url: target.url,
        signed_in: isUsable(() => one.hasSession),
        api_key: isUsable(() => one.hasApiKey),
        color: target.context?.colour ?? null,
        id: target.trust.id ?? null,
      }
    })
    await context.out.list({ rows, columns: LIST_COLUMNS, id: 'name', empty: '' })
    return EXIT.done
  },
}

/** Returns whether a credential is there and may be used: one that others can read is none. */
function isUsable(has: () => boolean): boolean {
  try {
    return has()
  } catch {
    return false
  }
}

const current: CommandSpec = {
  name: 'current',
  summary: 'Shows the context that a command uses now, with its address and id.',
  details: "With -q only its name, for the prompt of a shell: PS1='$(svc context current -q) $ '",
  examples: ['context current', 'context current -q', 'context current --json'],
  columns: CONTEXT_FIELDS,
  async run(context) {
    const { source, trust, url, context: shown } = context.target
    const name = source === 'named' ? url : (shown?.name ?? LOCAL)
    await context.out.record({
      record: { name, url, id: trust.id ?? null, color: shown?.colour ?? null },
      fields: CONTEXT_FIELDS,
      id: 'name',
    })
    return EXIT.done
  },
}

const NAMED = { syntax: '<name>', summary: 'name of a context', complete: 'contexts' } as const

const use: CommandSpec = {
  name: 'use',
  summary: 'Makes a context the one that commands use, until the next svc context use.',
  details:
    'SVC_URL, SVC_CONTEXT and SVC_HOME of the environment come before it, and --context before all of them.',
  examples: ['context use prod', 'context use local'],
  arguments: [NAMED],
  async run(context, input) {
    const name = input.required(0)
    await changeContexts(context.io, (now) => {
      if (name !== LOCAL) daemonNamed(now, name)
      return { ...now, current: name }
    })
    await context.out.acted({ status: 'success', current: name }, `Commands use the context ${name}.`)
    const set = ['SVC_URL', 'SVC_CONTEXT', 'SVC_HOME'].filter((one) => context.io.env[one])
    if (set.length > 0)
      await context.out.warn(`${set.join(' and ')} in the environment comes first; unset it`)
    return EXIT.done
  },
}

const remove: CommandSpec = {
  name: 'remove',
  summary: 'Removes a context with the credentials that are stored for it.',
  details: 'Its session stays open at the daemon until it ends; svc logout --context NAME ends it.',
  examples: ['context remove prod', 'context remove prod --yes'],
  arguments: [NAMED],
  async run(context, input) {
    const name = input.required(0)
    refuseLocal(name)
    daemonNamed(readContexts(context.io), name)
    await context.promptsHere.confirm(`Remove the context ${name} with its credentials`)
    let wasCurrent = false
    await changeContexts(context.io, (now) => {
      daemonNamed(now, name)
      wasCurrent = now.current === name
      rmSync(contextFolder(context.io, name), { recursive: true, force: true })
      const daemons = new Map([...now.daemons].filter(([one]) => one !== name))
      return { current: wasCurrent ? LOCAL : now.current, daemons }
    })
    const next = wasCurrent ? ' Commands use the context local now.' : ''
    await context.out.acted({ status: 'success', removed: name }, `The context ${name} is removed.${next}`)
    return EXIT.done
  },
}

const rename: CommandSpec = {
  name: 'rename',
  summary: 'Gives a context another name; its credentials stay.',
  examples: ['context rename prod desk'],
  arguments: [NAMED, { syntax: '<new-name>', summary: 'letters, digits, ".", "_" and "-"; at most 63' }],
  async run(context, input) {
    const [from, to] = [input.required(0), newName(input.required(1))]
    refuseLocal(from)
    await changeContexts(context.io, (now) => renamed(context, now, from, to))
    await context.out.acted({ status: 'success', name: to }, `The context ${from} is called ${to} now.`)
    return EXIT.done
  },
}

/** Moves the folder of a context, and binds its secrets to the new name. */
function renamed({ io }: Context, now: Contexts, from: string, to: string): Contexts {
  daemonNamed(now, from)
  const taken = [...now.daemons.keys()].find((one) => one !== from && one.toLowerCase() === to.toLowerCase())
  if (taken !== undefined) throw usageError(`There is a context ${taken} already.`, 'See: svc context list')
  if (from === to) return now
  const folder = contextFolder(io, to)
  // On some file systems prod and Prod are one folder.
  if (from.toLowerCase() !== to.toLowerCase()) rmSync(folder, { recursive: true, force: true })
  const old = contextFolder(io, from)
  if (existsSync(old)) renameSync(old, folder)
  for (const name of SECRETS) {
    const kept = readSecret(folder, name)
    if (kept?.context === from) storeSecret(folder, name, { ...kept, context: to })
  }
  const daemons = new Map([...now.daemons].map(([name, daemon]) => [name === from ? to : name, daemon]))
  return { current: now.current === from ? to : now.current, daemons }
}

function refuseLocal(name: string): void {
  if (name === LOCAL) newName(name)
}

export const context: NounSpec = {
  summary:
    'Daemons by name: each with its address, id, CA, credentials and colour. The home of this machine is the context local.',
  examples: [
    'context add prod --url https://desk.example.com --color red',
    'context use prod',
    'context status',
    'order list --context prod',
  ],
  verbs: [add, list, use, current, status, rename, remove],
}
