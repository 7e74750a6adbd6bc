import { ServiceError } from '../../../core/errors/index.js'
import { visible } from '../../../views/table/cells.js'
import { countText } from '../../../views/text/count.js'
import type { CommandSpec, Input, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, exitOf, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'

type Offline = typeof import('../../../daemon/backup/offline.js')

/** Runs work on the backups of the home without a daemon. */
function offline<T>(
  { settings, io }: Context,
  work: (code: Offline, at: { home: string; env: Context['io']['env'] }) => Promise<T>,
): Promise<T> {
  return refusing(async () =>
    work(await import('../../../daemon/backup/offline.js'), { home: settings.home, env: io.env }),
  )
}

/** Runs work without a daemon. A refusal has the exit status that the daemon's would have. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    throw new CliError(exitOf(thrown.code, 400), thrown.message, { code: thrown.code })
  }
}

/** A large home on a slow disk takes minutes. */
const BACKUP_TIMEOUT_MS = 3_600_000

const COLUMNS = [
  { key: 'id' },
  { key: 'created_at', title: 'CREATED', kind: 'time' },
  { key: 'origin', leaves: 2 },
  { key: 'size' },
  { key: 'version', leaves: 1 },
  { key: 'problem' },
] as const

const list: CommandSpec = {
  name: 'list',
  isOfHome: 'said',
  summary: 'Lists the backups in the folder of the home. Needs no daemon.',
  examples: ['backup list', 'backup list --json', 'backup list -q'],
  details:
    'The folder is BACKUP_DIR. The command reads the manifests only: svc backup verify checks the files.',
  columns: COLUMNS,
  async run(context) {
    const rows = await offline(context, async ({ listOffline, sizeOf }, at) =>
      (await listOffline(at)).map(({ id, path, manifest, problem }) => ({
        id,
        created_at: manifest?.created_at ?? null,
        origin: manifest?.origin ?? null,
        size: manifest ? megabytes(sizeOf(manifest)) : '',
        bytes: manifest ? sizeOf(manifest) : null,
        version: manifest?.version ?? null,
        path,
        problem: problem ?? '',
      })),
    )
    await context.out.list({ rows, columns: COLUMNS, id: 'id', empty: 'No backups. Make one: svc backup' })
    return rows.some(({ problem }) => problem !== '') ? EXIT.failed : EXIT.done
  },
}

const verify: CommandSpec = {
  name: 'verify',
  isOfHome: 'said',
  summary: 'Reads a backup completely and reports damage. Needs no daemon. Exit 2 when a file is damaged.',
  examples: ['backup verify', 'backup verify /mnt/backup/20261120T101500Z-3f9c2a'],
  details:
    'Compares size and digest of each file, checks its structure and counts its rows. With the secrets of the home that made the backup it also checks the seal of the manifest.',
  arguments: [{ syntax: '[backup]', summary: 'id from svc backup list, or a folder (default: the newest)' }],
  async run(context, input) {
    const verified = await offline(context, async ({ listOffline, sizeOf, verifyOffline }, at) => {
      const named = input.argument(0) ?? (await listOffline(at))[0]?.path
      if (named === undefined) return undefined
      const { manifest, seal } = await verifyOffline(at, named)
      return { manifest, seal, bytes: sizeOf(manifest) }
    })
    if (!verified) {
      throw new CliError(EXIT.notFound, 'There are no backups.', { hint: 'Make one: svc backup' })
    }
    const { bytes, manifest, seal } = verified
    const files = countText(manifest.files.length, 'file')
    await context.out.record({
      record: {
        id: manifest.id,
        created_at: manifest.created_at,
        files,
        size: megabytes(bytes),
        seal,
      },
      fields: [
        { key: 'id' },
        { key: 'created_at', title: 'CREATED', kind: 'time' },
        { key: 'files' },
        { key: 'size' },
        { key: 'seal' },
      ],
      id: 'id',
    })
    context.out.note(
      seal === 'ok'
        ? 'Sound: every file is complete and unchanged.'
        : 'Every file is complete and unchanged. The seal was not checked: this home has other secrets, or none.',
    )
    return EXIT.done
  },
}

export const backup: NounSpec = {
  summary: 'Makes a backup of all databases while the daemon runs, and checks it.',
  examples: ['backup', 'backup -q', 'backup list', 'backup verify'],
  details:
    'The backup is the state of all databases at one moment: everything that was answered before it. Orders go on meanwhile. It does not contain config.env: keep a copy of that file in another place. See svc restore.',
  verbs: [list, verify],
  async run(context) {
    if (context.io.stderr.isTty) context.out.note('Making and checking a backup …')
    const { body } = await context.change('POST /backups', {}, { timeoutMs: BACKUP_TIMEOUT_MS })
    const { bytes, ...made } = body.data
    const { folder } = (await context.read('GET /backups')).body.data
    await context.out.record({
      record: { ...made, bytes, size: megabytes(bytes), path: `${folder}/${made.id}` },
      fields: [
        { key: 'id' },
        { key: 'created_at', title: 'CREATED', kind: 'time' },
        { key: 'size' },
        { key: 'path' },
      ],
      id: 'id',
    })
    context.out.note(`Checked. Restore it with: svc restore ${visible(made.id)}`)
    return EXIT.done
  },
}

/** Returns a size in megabytes, for people. */
function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

export const restore: NounSpec = {
  isOfHome: 'named',
  summary: 'Replaces the databases of a stopped home by those of a backup.',
  examples: [
    'restore 20261120T101500Z-3f9c2a --replace',
    'restore /mnt/backup/20261120T101500Z-3f9c2a --home ./new',
    'restore --mark',
  ],
  details:
    'Checks the whole backup first. The home must have the config.env (or the environment) with the secrets of the backup. With --replace, the databases that the home has are set aside in a folder before-restore-…, and nothing is deleted. An interruption leaves the old databases or the new ones. The next start turns the kill switch on, because the service does not know the orders sent after the backup: compare with the broker, reject what waits for approval again and was sent since, then svc risk resume. It also ends all sessions and the access of assistants, because the backup may be older than their end; tokens and linked chats that were ended since stay ended, if the databases that --replace sets aside can be read. The password, the second factor and the API key are those of the backup. After databases were put back by hand, such as a copy of the stopped home or a file .before-…, run svc restore --mark before the start: it copies nothing, and the start holds back as much as after a restore.',
  arguments: [{ syntax: '[backup]', summary: 'id from svc backup list, or a folder' }],
  options: [
    { flags: '--replace', summary: 'set the databases of the home aside' },
    { flags: '--mark', summary: 'older databases were put back by hand: only mark the home as restored' },
  ],
  async run(context, input) {
    if (input.flag('mark')) return mark(context, input)
    const named = input.argument(0)
    if (named === undefined) throw usageError('Name a backup: an id from svc backup list, or a folder.')
    const { manifest, setAside } = await offline(context, ({ restoreOffline }, at) =>
      restoreOffline(at, named, input.flag('replace')),
    )
    await showRestored(context, { ...manifest, set_aside: setAside ?? '' })
    context.out.note(`Restored. ${NEXT_START}${setAside === undefined ? AS_COPIED : COMPARED}`)
    return EXIT.done
  },
}

const NEXT_START =
  'The next start turns the kill switch on: compare orders and positions with the broker, reject what waits for approval and was sent since (svc approval list), then svc risk resume. ' +
  'It ends all sessions and the access of assistants: sign in again (svc login). The password, the second factor, the API key, tokens and linked chats are those of '
/** The end of the sentence above, where the databases that the restore replaced can be read. */
const COMPARED =
  'the backup, but tokens and chats that this home has ended since stay ended: replace again what you replaced since.'
const AS_COPIED = 'the copy: end or replace again what you ended or replaced since (svc token list).'

/** Marks the home as restored, and changes nothing else. */
async function mark(context: Context, input: Input): Promise<ExitStatus> {
  if (input.argument(0) !== undefined || input.flag('replace')) {
    throw usageError('--mark takes no backup and no --replace: the databases are in the home already.')
  }
  const created_at = await offline(context, ({ markOffline }, at) => markOffline(at))
  await showRestored(context, { id: 'by-hand', created_at, set_aside: '' })
  context.out.note(`Marked as restored. ${NEXT_START}${AS_COPIED}`)
  return EXIT.done
}

async function showRestored(
  context: Context,
  { created_at, id, set_aside }: { id: string; created_at: string; set_aside: string },
): Promise<void> {
  await context.out.record({
    record: { id, created_at, home: context.settings.home, set_aside },
    fields: [
      { key: 'id' },
      { key: 'created_at', title: 'CREATED', kind: 'time' },
      { key: 'home' },
      { key: 'set_aside', title: 'OLD FILES' },
    ],
    id: 'id',
  })
}

/** `svc upgrade` of another version runs this on a copy of a home, and calls it by this name. */
export const migrate: NounSpec = {
  isOfHome: 'said',
  examples: ['__migrate --home ./copy'],
  async run(context) {
    const { migrateStopped } = await import('../../../daemon/backup/upgrade.js')
    const schemas = await refusing(() => migrateStopped({ home: context.settings.home, env: context.io.env }))
    context.out.write(`${JSON.stringify(schemas)}\n`)
    return EXIT.done
  },
}
