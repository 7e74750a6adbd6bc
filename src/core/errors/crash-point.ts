/**
 * A named place where a test can kill the process, to prove that data survives a crash. It costs one
 * comparison. Only the environment of the process can arm it (`SVC_CRASH_AT=name`, or `name:N` for the N-th
 * pass), never a request over the network.
 */
const [armedName, armedCount] = (process.env.SVC_CRASH_AT ?? '').split(':')
let remaining = Number(armedCount ?? 1)

export function crashPoint(name: string): void {
  if (armedName === '' || name !== armedName) return
  remaining -= 1
  if (remaining <= 0) process.kill(process.pid, 'SIGKILL')
}
