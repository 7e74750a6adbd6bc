// Stores the code that V8 compiles for a start of the daemon and for an offline test of a workflow: starts the daemon from
// the one file of the given folder, in a home of its own, runs a test beside it, and stops it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { compileIn } from '../src/cli/compiled-program.js'

/** The daemon does some of its work just after its start. */
const SETTLES_MS = 500
const LOOK_MS = 20
/** A case of a workflow with bars, orders and conditions. */
const SCENARIO = 'flows/opening-range-breakout.test.yaml'

const [folder = ''] = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), 'svc-build-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))

const { program, store } = compileIn(resolve(folder), 'program')
const ended = program.begin(['up', '--home', home, '--port', '0', '--ws-port', '0'])
while (!existsSync(join(home, 'daemon.json')) && process.exitCode === undefined) await setTimeout(LOOK_MS)
await setTimeout(SETTLES_MS)
await program.begin(['flow', 'test', SCENARIO])
process.umask(0o022)
store()
process.kill(process.pid, 'SIGTERM')
await ended
