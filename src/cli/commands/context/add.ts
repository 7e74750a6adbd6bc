import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { requestTo } from '../../../client/routes.js'
import { CA_FILE, readAuthorities } from '../../contexts/authorities.js'
import { changeContexts, contextFolder } from '../../contexts/file.js'
import type { Target } from '../../contexts/target.js'
import { CONTEXT_COLOURS, checkedId, colourOf, contextUrl, newName } from '../../contexts/words.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { Client } from '../../http/client.js'
import { keepSecret } from '../../http/credentials.js'
import { HEALTH_CALL, saidId } from '../../http/identity.js'
import { makeHome, writePrivately } from '../../io/home.js'
import { CONTEXT_FIELDS } from './columns.js'

export const add: CommandSpec = {
  name: 'add',
  summary: 'Adds a daemon: asks it for its id, has it proved, and pins it.',
  details: [
    '--url is the address of the daemon: https, or http for this machine (also the end of a tunnel). With --ca-file its',
    'certificate must come from the authorities of that file, which are copied. With --id the id is stated beforehand; the',
    'daemon may then be away. --token-stdin reads a personal access token (svc token create on its machine) and',
    '--apikey-file its API key; without them sign in: svc login --context NAME.',
  ].join('\n'),
  examples: [
    'context add prod --url https://desk.example.com --color red',
    'context add prod --url https://desk.example.com --token-stdin < token.txt',
    'context add lab --url https://lab.internal --ca-file ./lab-ca.pem',
  ],
  arguments: [{ syntax: '<name>', summary: 'letters, digits, ".", "_" and "-"; at most 63' }],
  options: [
    {
      flags: '--id <id>',
      summary: 'the id that the daemon must prove (default: the one that it proves now)',
    },
    { flags: '--token-stdin', summary: 'read a personal access token from stdin, and store it (0600)' },
    { flags: '--color <colour>', summary: 'colour of its name', choices: CONTEXT_COLOURS },
  ],
  async run(context, input) {
    const name = newName(input.required(0))
    const asked = await askedDaemon(context, input, name)
    const token = input.flag('tokenStdin') ? await tokenOf(context) : undefined
    const { isThere, target } = asked
    const username = token !== undefined && isThere ? await ownerOf(context, target, token) : undefined
    await store(context, target, { token, username, apikey: context.settings.apikey })
    const { colour } = target.context ?? {}
    await context.out.record({
      record: { name, url: target.url, id: target.trust.id, color: colour ?? null },
      fields: CONTEXT_FIELDS,
      id: 'name',
    })
    if (!isThere) await context.out.warn('no daemon answered; the first command there has the id proved')
    const next = token === undefined ? `svc login --context ${name}` : `svc status --context ${name}`
    context.out.note(`The context ${name} is added. Next: ${next}, svc context use ${name}`)
    return EXIT.done
  },
}

/** Returns the daemon of the words, with the id that it has proved. */
async function askedDaemon(
  context: Context,
  input: Input,
  name: string,
): Promise<{ target: Target; isThere: boolean }> {
  const given = input.text('url')
  if (given === undefined || given === '') {
    throw usageError('--url is missing.', `Example: svc context add ${name} --url https://desk.example.com`)
  }
  const { caFile } = context.settings
  const stated = input.text('id')
  const base: Target = {
    url: contextUrl(given),
    source: 'context',
    folder: contextFolder(context.io, name),
    trust: { ca: caFile && readAuthorities(caFile.path, caFile.from) },
    context: { name, colour: colourOf(input.text('color')) },
    ownsEnvironment: false,
  }
  const id = stated === undefined ? await idOf(context, base) : checkedId(stated)
  const target = { ...base, trust: { ...base.trust, id } }
  return { target, isThere: await isProven(context, target, stated !== undefined) }
}

function clientOf({ io, settings, version }: Context, target: Target): Client {
  return new Client(target, io, settings, version)
}

/** Returns the id that a daemon says of itself. @throws CliError if it says none */
async function idOf(context: Context, target: Target): Promise<string> {
  const { id, status } = await saidId(clientOf(context, target))
  if (id !== undefined) return id
  throw new CliError(EXIT.failed, `The daemon at ${target.url} does not say its id (HTTP ${status}).`, {
    code: 'no_id',
    hint: 'Its version may be older than this program: svc version --url URL',
  })
}

/** The failures after which a daemon with a stated id may be added: it is away, and no other one answered. */
const AWAY: ReadonlySet<string> = new Set([
  'no_daemon',
  'timeout',
  'connect_timeout',
  'unreachable',
  'unknown_host',
])

async function isProven(context: Context, target: Target, mayBeAway: boolean): Promise<boolean> {
  try {
    await clientOf(context, target).ask(HEALTH_CALL)
    return true
  } catch (thrown) {
    if (mayBeAway && thrown instanceof CliError && AWAY.has(thrown.code)) return false
    throw thrown
  }
}

/** Returns a token of stdin, without the line end that a file has. */
async function tokenOf({ io }: Context): Promise<string> {
  const token = (await io.stdin.readAll()).replace(/^\uFEFF/, '').trim()
  if (token === '') throw usageError('The token on stdin is empty.')
  if (!/^[!-~]+$/.test(token)) throw usageError('The token on stdin must be one word of visible characters.')
  return token
}

/** Returns the user of a token. @throws CliError if the daemon refuses it */
async function ownerOf(context: Context, target: Target, token: string): Promise<string> {
  const route = 'GET /auth/whoami'
  const credential = { value: token, kind: 'token', origin: 'stdin' } as const
  const call = { route, ...requestTo(route, {}), token, credential, changes: false } as const
  try {
    return (await clientOf(context, target).send(call)).body.data.username
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.denied) throw thrown
    throw new CliError(EXIT.denied, `The daemon refused the token: ${thrown.message}`, {
      code: thrown.code,
      hint: 'Make a new one on its machine: svc token create --name NAME',
    })
  }
}

interface Secrets {
  token: string | undefined
  username: string | undefined
  apikey: string | undefined
}

/** Stores a context and its secrets, unless the name is taken. */
async function store(context: Context, target: Target, { token, username, apikey }: Secrets): Promise<void> {
  const { folder, trust, url } = target
  const { name = '', colour } = target.context ?? {}
  await changeContexts(context.io, ({ current, daemons }) => {
    const taken = [...daemons.keys()].find((one) => one.toLowerCase() === name.toLowerCase())
    if (taken !== undefined) {
      throw usageError(`There is a context ${taken} already.`, `Remove it first: svc context remove ${taken}`)
    }
    // What an interrupted command has left is of another daemon.
    rmSync(folder, { recursive: true, force: true })
    makeHome(folder)
    if (trust.ca !== undefined) writePrivately(join(folder, CA_FILE), trust.ca)
    const common = { username, expiresAt: undefined }
    if (token !== undefined) keepSecret(target, 'token.json', { value: token, ...common })
    if (apikey !== undefined) keepSecret(target, 'apikey.json', { value: apikey, ...common })
    return { current, daemons: new Map([...daemons, [name, { url, id: trust.id ?? '', colour }]]) }
  })
}
