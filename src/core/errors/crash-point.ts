/**
 * A named place at which a test may kill the process, to prove what survives. Costs one comparison, and nothing
 * can trigger it over the network: only the environment of the process (`SVC_CRASH_AT=name` or `name:N` for the
 * N-th passage) arms it.
 */
const [armedName, armedCount] = (process.env.SVC_CRASH_AT ?? '').split(':')
let remaining = Number(armedCount ?? 1)

export function crashPoint(name: string): void {
  if (armedName === '' || name !== armedName) return
  remaining -= 1
  if (remaining <= 0) process.kill(process.pid, 'SIGKILL')
}
