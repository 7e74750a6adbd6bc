import type { StoredSetting } from '../../../core/config/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import type { Column } from '../../../views/table/column.js'
import { parseAssignments } from '../../framework/assignments.js'
import type { CommandSpec, Input, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, exitOf, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { readDaemonFile, requireHome } from '../../io/home.js'
import { daemonWithLock } from '../../io/home-lock.js'
import { isAlive } from '../../io/processes.js'

const load = () => import('../../../core/config/index.js')

/** A setting as the command shows it. */
interface Shown extends Omit<StoredSetting, 'origin'> {
  origin: 'environment' | 'config.env' | 'default'
  /** The daemon reads its settings at its start only. */
  restart: true
}

const DETAILS =
  'The settings belong to the home on this machine; no daemon is asked. The environment overrides config.env, which overrides the defaults. A daemon reads them when it starts. A daemon that another program starts (systemd, a container) has the environment of that program.'

const COLUMNS = [
  { key: 'key' },
  { key: 'value' },
  { key: 'origin', wide: true },
  { key: 'default', wide: true },
  { key: 'range', title: 'VALUES', wide: true },
  { key: 'description', title: 'MEANING', leaves: 1 },
  { key: 'restart', title: 'NEEDS A RESTART', wide: true },
  { key: 'secret', wide: true },
  { key: 'problem', wide: true },
] as const satisfies readonly Column<keyof Shown>[]

const shown = ({ origin, ...setting }: StoredSetting): Shown => ({
  ...setting,
  origin: origin === 'file' ? 'config.env' : origin,
  restart: true,
})

/** Returns the settings as a daemon of this home and environment would read them. */
export async function settingsOf(context: Context): Promise<Shown[]> {
  const { storedSettings } = await load()
  return storedSettings(context.settings.home, context.io.env).map(shown)
}

/** Returns the weakness of the settings about proxies, if there is one. */
export async function proxyProblemOf({ settings: { home }, io: { env } }: Context) {
  const { proxyProblem } = await load()
  return proxyProblem(home, env)
}

/** Reports values with which a daemon would not start. */
async function warnAboutProblems(context: Context, settings: readonly Shown[]): Promise<void> {
  for (const { key, origin, problem } of settings) {
    if (problem !== null) await context.out.warn(`${key} (${origin}): ${problem}. A daemon would not start.`)
  }
}

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the settings of the daemon with their values. Secrets are never shown.',
  examples: [
    'config list',
    'config list --show-origin',
    'config list -o wide',
    'config list --jq \'.[] | select(.origin != "default") | .key\'',
  ],
  details: DETAILS,
  options: [{ flags: '--show-origin', summary: 'show where each value comes from' }],
  columns: COLUMNS,
  async run(context, input) {
    const rows = await settingsOf(context)
    const columns: readonly Column<keyof Shown>[] = input.flag('showOrigin')
      ? COLUMNS.map((column) => (column.key === 'origin' ? { key: 'origin' as const } : column))
      : COLUMNS
    await context.out.list({ rows, columns, id: 'key', empty: 'No settings.' })
    await warnAboutProblems(context, rows)
    return EXIT.done
  },
}

const get: CommandSpec = {
  name: 'get',
  summary: 'Shows one setting: its value, where it comes from, and what it means.',
  examples: [
    'config get ORDER_RATE_LIMIT',
    'config get SVC_PORT --show-origin',
    'port=$(svc config get SVC_PORT)',
  ],
  details: `In a pipe it prints the value alone. ${DETAILS}`,
  options: [{ flags: '--show-origin', summary: 'in a pipe, print where the value comes from after it' }],
  arguments: [{ syntax: '<key>', summary: 'key from svc config list', complete: 'settings' }],
  async run(context, input) {
    const key = await knownKey(input.required(0))
    const rows = (await settingsOf(context)).filter((row) => row.key === key)
    for (const record of rows) {
      if (context.out.isBare) {
        context.out.name([record.value ?? '', ...(input.flag('showOrigin') ? [record.origin] : [])])
      } else await context.out.record({ record, fields: COLUMNS, id: 'value' })
    }
    await warnAboutProblems(context, rows)
    return EXIT.done
  },
}

const set: CommandSpec = {
  name: 'set',
  summary: 'Stores settings in config.env of the home (0600). An empty value restores the default.',
  examples: [
    'config set LOG_LEVEL DEBUG',
    "config set ORDER_RATE_LIMIT='20 per second' LOG_TO_FILE=true",
    'config set LOG_LEVEL=',
    'config set TELEGRAM_BOT_TOKEN --stdin < token.txt',
  ],
  details: `${DETAILS} The value of a secret is typed without echo, or comes from --stdin; never from the command line.`,
  arguments: [{ syntax: '<key=value...>', summary: 'a setting and its value', complete: 'settings' }],
  options: [{ flags: '--stdin', summary: 'read the value of one setting from stdin' }],
  async run(context, input) {
    const given = await givenSettings(context, input)
    const { storeSetting } = await load()
    let path = ''
    // All keys and values are checked before the first is stored.
    for (const { key, value } of given) await checkSetting(key, value)
    requireHome(context.settings.home)
    for (const { key, value } of given) path = ours(() => storeSetting(context.settings.home, key, value))
    const keys = new Set(given.map(({ key }) => key))
    const rows = (await settingsOf(context)).filter(({ key }) => keys.has(key))
    await context.out.list({ rows, columns: COLUMNS, id: 'key', empty: '' })
    context.out.note(`Stored in ${path}.`)
    await warnAboutEffect(context, rows)
    return EXIT.done
  },
}

const rotateKey: CommandSpec = {
  name: 'rotate-key',
  isOfHome: 'named',
  summary:
    'Replaces APP_KEY and FERNET_SALT, and seals every stored secret and the audit trail again. The daemon must be stopped.',
  examples: ['config rotate-key', 'config rotate-key --yes'],
  details:
    'The sealed values are those that must be readable again: the API key, the TOTP secret, broker sessions, passwords and tokens of services, secrets of workflows. They stay the same; nobody has to sign in again. The audit trail is checked with the old keys and sealed with the new ones: note its new head (audit_head), because svc audit verify --head finds no older one any more. If the command is cut off, the next start finishes or undoes it. A backup needs the keys it was made with: copy config.env to a safe place first if you want to restore earlier backups, and make a backup with the new keys afterwards (svc backup). The command keeps no copy of the former keys: they may be known to somebody.',
  async run(context) {
    const at = { home: context.settings.home, env: context.io.env }
    const { countOfKeys } = await import('../../../daemon/backup/offline.js')
    const backups = backupsText(await countOfKeys(at))
    await context.prompts.confirm(
      `Replace the keys of ${at.home} (${backups} can then be restored only with a copy of its config.env of now)`,
    )
    const { changeKeys } = await import('../../../daemon/process/key-change.js')
    const record = await changeKeys(at.home, at.env)
    const fields = [
      { key: 'sealed' },
      { key: 'unreadable' },
      { key: 'audit_rows' },
      { key: 'audit_head' },
    ] as const
    await context.out.record({ record, fields, id: 'sealed' })
    if (record.audit_problem !== null) {
      await context.out.warn(
        `The audit trail was damaged before the change, and svc audit verify still shows it: ${record.audit_problem}`,
      )
    }
    context.out.note(
      `The keys are replaced; ${backups} can be restored only with a copy of the former config.env. Next: svc up --detach, then svc backup`,
    )
    return EXIT.done
  },
}

/** Names the backups that need the keys of before. There may be others than in the folder of the home. */
function backupsText(count: number): string {
  if (count === 0) return 'backups from before'
  return count === 1 ? 'the backup of it' : `the ${count} backups of it`
}

/** Returns the settings to store. A secret never comes from the command line. */
async function givenSettings(context: Context, input: Input) {
  const words = input.words(0)
  const [only = ''] = words
  if (input.flag('stdin') || (words.length === 1 && !only.includes('='))) {
    if (words.length > 1 || only.includes('=')) throw usageError('--stdin takes the name of one setting.')
    const key = await knownKey(only)
    const options = { twice: false, hint: `Pass ${key}=VALUE, or --stdin.` }
    return [{ key, value: (await context.prompts.secret(input.flag('stdin'), key, options)).trim() }]
  }
  const given = parseAssignments(words, 'svc config set LOG_LEVEL=DEBUG')
  const { knownSetting } = await load()
  for (const { key, value } of given) {
    if (ours(() => knownSetting(key)).secret && value !== '') {
      throw usageError(
        `${key} is a secret: other users can see the command line.`,
        `Pass it on stdin: svc config set ${key} --stdin`,
      )
    }
  }
  return given
}

async function knownKey(key: string): Promise<string> {
  const { knownSetting } = await load()
  return ours(() => knownSetting(key)).key
}

async function checkSetting(key: string, value: string): Promise<void> {
  const { settingProblem } = await load()
  const problem = value === '' ? null : ours(() => settingProblem(key, value))
  if (problem !== null) throw usageError(`${key} ${problem}.`, `See: svc config get ${key}`)
}

/** Turns the error of the configuration into the error of a command. */
function ours<T>(act: () => T): T {
  try {
    return act()
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    throw new CliError(exitOf(thrown.code, 400), thrown.message, { code: thrown.code })
  }
}

/** Reports why a stored value has no effect yet. */
async function warnAboutEffect(context: Context, rows: readonly Shown[]): Promise<void> {
  for (const { key, origin } of rows) {
    if (origin === 'environment')
      await context.out.warn(`${key} is also set in the environment, which overrides config.env`)
  }
  const { home } = context.settings
  const daemon = readDaemonFile(home)
  if ((daemon && isAlive(daemon.pid)) || daemonWithLock(home) !== undefined) {
    context.out.note('The running daemon keeps its former values. Restart it: svc down, then svc up --detach')
  }
}

export const config: NounSpec = {
  isOfHome: 'said',
  summary: 'The settings of the daemon: values, where they come from, and changes.',
  examples: ['config list --show-origin', 'config get SVC_PORT', 'config set LOG_LEVEL DEBUG'],
  details: DETAILS,
  verbs: [list, get, set, rotateKey],
}
