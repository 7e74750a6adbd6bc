import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { runBuilt } from './built-program.js'
import { SVC } from './daemon-process.js'
import { IN_OWN_PROCESS } from './own-process.js'

/** A file of a process in `/proc`, where the program of a shell line finds its words, environment and input. */
const ofProcess = (pid: string, name: string) => `/proc/${pid}/${name}`
const textsIn = (pid: string, name: string) =>
  readFileSync(ofProcess(pid, name), 'utf8').split('\0').slice(0, -1)

/** The words of the script before those of the command line: the shell and the script. */
const SHELL_WORDS = 2

/** The time after which a command that runs until Ctrl-C gets it. */
export const FOLLOWED_MS = 500
/** The same on a system without `/proc`, where the program has to start first. */
const FOLLOWED_SECONDS = 4

/**
 * Writes a program `svc` into a folder for lines of bash. It hands its command line to this process, which runs it with
 * the built program; a start of bash costs a fiftieth of a start of Node.
 * @param follow what becomes of a command that follows something: it runs in a process of its own, or gets Ctrl-C soon;
 * `all` gives it to every command
 * @returns closes the server behind it
 */
export async function writeShellProgram(
  folder: string,
  follow: 'own process' | 'interrupted' | 'all interrupted',
): Promise<() => Promise<void>> {
  const program = `'${process.execPath}' '${SVC}' "$@"`
  const interrupted = `exec timeout --preserve-status -s INT ${FOLLOWED_SECONDS} ${program}`
  const own = `case " $* " in *' --follow '* | *' --watch '* | *' event follow '*) ${follow === 'own process' ? `exec ${program}` : 'follows=yes'} ;; esac`
  const follows = follow === 'all interrupted' ? 'follows=yes' : own
  const write = (lines: readonly string[]) =>
    writeFileSync(join(folder, 'svc'), `#!/usr/bin/env bash\n${lines.join('\n')}\n`, { mode: 0o755 })
  if (!existsSync('/proc/self')) {
    write([follows, `[ -z "$follows" ] || ${interrupted}`, `exec ${program}`])
    return () => Promise.resolve()
  }
  const start = process.cwd()
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    socket.once('data', (line) => void answer(String(line).trim(), socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the program has no port')
  write([
    `case $1 in ${[...IN_OWN_PROCESS].join(' | ')}) exec ${program} ;; esac`,
    follows,
    `exec 3<>/dev/tcp/127.0.0.1/${address.port}`,
    'echo $$ $follows >&3',
    'read -r -u 3 exit bytes',
    'head -c "$bytes" <&3 >&2',
    'cat <&3',
    'exit "$exit"',
  ])
  return async () => {
    process.chdir(start)
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function answer(line: string, socket: Socket): Promise<void> {
  const [pid = '', follows] = line.split(' ')
  // Lines of the same folder may run together; the tests run no lines of two folders at once.
  const folder = readlinkSync(ofProcess(pid, 'cwd'))
  if (process.cwd() !== folder) process.chdir(folder)
  const env = Object.fromEntries(
    textsIn(pid, 'environ').map((text) => {
      const at = text.indexOf('=')
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
  const words = textsIn(pid, 'cmdline').slice(SHELL_WORDS)
  const stdin = () => readFile(ofProcess(pid, 'fd/0'))
  const { exit, stdout, stderr } = await runBuilt(words, {
    env,
    stdin,
    ...(follows !== undefined && { interruptAfterMs: FOLLOWED_MS }),
  })
  socket.end(`${exit} ${Buffer.byteLength(stderr)}\n${stderr}${stdout}`)
}
