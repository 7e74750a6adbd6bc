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

/**
 * Writes a program `svc` into a folder for lines of bash. It hands its command line to this process, which runs it with
 * the built program; a start of bash costs a fiftieth of a start of Node. What follows something, and what is no mere
 * question to a daemon, runs in a process of its own.
 * @returns closes the server behind it
 */
export async function writeShellProgram(folder: string): Promise<() => Promise<void>> {
  const real = `exec '${process.execPath}' '${SVC}' "$@"`
  const follows = `*' --follow'* | *' --watch'*`
  if (!existsSync('/proc/self')) {
    writeFileSync(join(folder, 'svc'), `#!/bin/sh\n${real}\n`, { mode: 0o755 })
    return () => Promise.resolve()
  }
  const start = process.cwd()
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    socket.once('data', (pid) => void answer(String(pid).trim(), socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the program has no port')
  const script = [
    '#!/usr/bin/env bash',
    `case $1 in ${[...IN_OWN_PROCESS].join(' | ')}) ${real} ;; esac`,
    `case " $*" in ${follows}) ${real} ;; esac`,
    `exec 3<>/dev/tcp/127.0.0.1/${address.port}`,
    'echo $$ >&3',
    'read -r -u 3 exit bytes',
    'head -c "$bytes" <&3 >&2',
    'cat <&3',
    'exit "$exit"',
  ]
  writeFileSync(join(folder, 'svc'), `${script.join('\n')}\n`, { mode: 0o755 })
  return async () => {
    process.chdir(start)
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function answer(pid: string, socket: Socket): Promise<void> {
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
  const { exit, stdout, stderr } = await runBuilt(words, { env, stdin })
  socket.end(`${exit} ${Buffer.byteLength(stderr)}\n${stderr}${stdout}`)
}
